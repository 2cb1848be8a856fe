/** What a colour stands for. */
export type Tone = "pending" | "claimed" | "running" | "completed" | "failed" | "cancelled" | "warning" | "accent";
