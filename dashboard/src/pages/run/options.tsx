import type { Body } from "../../api/routes.ts";
import { TextField } from "../../parts/field.tsx";
import style from "./run.module.css";

export interface RunOptions {
  readonly room: string;
  readonly queue?: string;
  readonly priority?: number;
  readonly delaySeconds?: number;
}

export function optionsBody(options: RunOptions): Omit<Body<"POST /rooms/{room_id}/tasks/{job_name+}">, "payload"> {
  const { queue, priority, delaySeconds } = options;
  return {
    ...(queue !== undefined && queue !== "" && { queue }),
    ...(priority !== undefined && { priority }),
    ...(delaySeconds !== undefined && { delay_seconds: delaySeconds }),
  };
}

export interface OptionsProps {
  readonly options: RunOptions;
  readonly onChange: (options: RunOptions) => void;
  /** Whether the job can be run in other rooms than its own. */
  readonly free: boolean;
}

export function Options({ options, onChange, free }: OptionsProps) {
  const { queue, priority, delaySeconds, ...rest } = options;
  const number = (value: string): number | undefined => (value === "" ? undefined : Number(value));
  function change(next: {
    queue?: string | undefined;
    priority?: number | undefined;
    delaySeconds?: number | undefined;
  }): void {
    const all = { queue, priority, delaySeconds, ...next };
    const said = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== ""));
    onChange({ ...rest, ...said });
  }
  return (
    <div className={style.options}>
      <TextField
        label="Room"
        disabled={!free}
        value={options.room}
        hint={free ? "Where it is listed, and who may see it." : "That of the job."}
        onChange={(event) => onChange({ ...options, room: event.currentTarget.value })}
      />
      <TextField
        label="Queue"
        placeholder="the job's own"
        value={queue ?? ""}
        onChange={(event) => change({ queue: event.currentTarget.value })}
      />
      <TextField
        label="Priority"
        type="number"
        placeholder="0"
        hint="Higher first."
        value={priority ?? ""}
        onChange={(event) => change({ priority: number(event.currentTarget.value) })}
      />
      <TextField
        label="Not before, in seconds"
        type="number"
        min={0}
        placeholder="at once"
        value={delaySeconds ?? ""}
        onChange={(event) => change({ delaySeconds: number(event.currentTarget.value) })}
      />
    </div>
  );
}
