import type { Asking } from "../asking-command.ts";

/** What a check has found. */
export interface Finding {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  /** What to do about it. */
  readonly advice: string | null;
}

export type Check = (asking: Asking) => Promise<readonly Finding[]>;

export function ok(name: string, text: string): Finding {
  return { name, state: "ok", text, advice: null };
}

export function warn(name: string, text: string, advice: string): Finding {
  return { name, state: "warn", text, advice };
}

export function fail(name: string, text: string, advice: string): Finding {
  return { name, state: "fail", text, advice };
}
