import style from "./badge.module.css";
import type { Tone } from "./tone.ts";

export type { Tone } from "./tone.ts";

/** A word on a coloured ground; the word says it all, the colour only helps. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span className={style.badge} data-tone={tone}>
      {children}
    </span>
  );
}

const workerTones: Readonly<Record<string, Tone>> = {
  online: "completed",
  unreachable: "warning",
  offline: "failed",
  deleted: "cancelled",
};

export function TaskState({ state }: { readonly state: string }) {
  return <Badge tone={state as Tone}>{state}</Badge>;
}

export function WorkerState({ state }: { readonly state: string }) {
  return <Badge tone={workerTones[state.toLowerCase()] ?? "pending"}>{state.toLowerCase()}</Badge>;
}

const severityTones: Readonly<Record<string, Tone>> = {
  info: "running",
  warning: "warning",
  error: "failed",
  critical: "failed",
};

export function Severity({ severity }: { readonly severity: string }) {
  return <Badge tone={severityTones[severity] ?? "pending"}>{severity}</Badge>;
}
