// Workers that stay connected and are given their tasks. Each connection is a session: it says how many tasks it wants,
// is handed that many and never more, and tells how they ended. The door carries frames; what they mean is decided here.

import type { Principal } from "../../core/access.ts";
import type { Alert } from "../../core/alert.ts";
import type { Labels } from "../../core/lane.ts";
import type { LogLevel } from "../../core/log-level.ts";
import type { Problem } from "../../core/problem.ts";
import type { ProgressReport } from "../../core/progress.ts";
import type { ClaimedTask, CommandRecord } from "../../ports/records.ts";
import type { Conclusion } from "../concluding.ts";
import type { CommandAnswer } from "../control/deliveries.ts";
import type { Operations } from "../engine.ts";
import type { HeldAttempt } from "../letting-go.ts";
import type { Surroundings } from "../surroundings.ts";
import { workEntries } from "../work/work-entries.ts";
import type { Condition, Conditions } from "./conditions.ts";
import type { Outputs } from "./outputs.ts";

export interface WorkDesk {
  /**
   * The first word of a connection: registers a worker, or lets one go on where it was. The line is told nothing before
   * this has answered. A resume with a wrong token registers a new worker, and gets none of the tasks.
   */
  enter(who: Principal, words: WorkRegistration, line: WorkLine): Promise<WorkSession>;
}

export interface WorkRegistration {
  readonly name: string | null;
  readonly hostname: string;
  readonly os: string;
  /** JSON text of whatever else it says about itself. */
  readonly about: string | null;
  /** Null: every queue. */
  readonly queues: readonly string[] | null;
  readonly labels: Labels;
  /** By the ids the worker uses; null as a checksum: fit for whatever is registered. */
  readonly specs: readonly { readonly id: string; readonly checksum: string | null }[];
  /** How many it runs side by side, and keeps in hand beyond; null where it does not say. */
  readonly concurrency: number | null;
  readonly prefetch: number;
  readonly logs: boolean;
  readonly cancel: boolean;
  readonly echo: boolean;
  /** It obeys commands, and acknowledges them. */
  readonly commands: boolean;
  readonly resume: { readonly worker: string; readonly token: string; readonly held: readonly HeldAttempt[] } | null;
}

/** What the door does for a session. None of it throws; after `close` none of it is called. */
export interface WorkLine {
  assign(assignments: readonly Assignment[]): void;
  /** The result of this attempt is written, or refused for that reason. */
  told(attempt: HeldAttempt, refusal: Problem | null): void;
  cancel(attempt: HeldAttempt): void;
  /** What is registered has changed, and with it which specs are accepted. */
  specs(verdicts: readonly SpecVerdict[]): void;
  /** For workers that know nothing of commands. */
  drain(): void;
  command(command: CommandRecord): void;
  /** Whether so much waits to be read by the worker that nothing should be added to it. */
  isFull(): boolean;
  close(why: "lost" | "replaced"): void;
}

export interface Assignment {
  /** Counts from 1 on each connection. */
  readonly seq: number;
  readonly task: ClaimedTask;
  /** As the worker calls it. */
  readonly spec: string;
  readonly checksum: string;
  readonly queue: string;
  readonly labels: Labels;
}

export interface SpecVerdict {
  readonly id: string;
  readonly accepted: boolean;
  readonly reason: "unknown" | "checksum" | "push" | "forbidden" | "internal" | "deleted" | null;
  /** The registered one; null where there is none. */
  readonly checksum: string | null;
}

export interface WorkSession {
  readonly worker: string;
  /** With this the worker goes on after its connection was lost. */
  readonly token: string;
  /** Whether it goes on as the worker it was. */
  readonly resumed: boolean;
  /** Of what it listed, what is not its own any more. */
  readonly lost: readonly HeldAttempt[];
  verdicts(): readonly SpecVerdict[];
  /** One heartbeat; returns at once. */
  beat(beat: WorkBeat): void;
  /** It has said something that waits to be taken: whoever speaks is there. */
  alive(): void;
  /** Null while it may say more; else too much of what it said waits to be written, until then. */
  relief(): Promise<void> | null;
  /** A later registration, which replaces the former one whole. */
  change(words: WorkRegistration): Promise<void>;
  /** Once a second: answers the number that the worker has to echo. */
  tick(): number;
  /**
   * The connection is gone: the worker was done and said so, it was cut off, or this server ends. Only a worker that was
   * done is gone at once; any other has its window to come back.
   */
  leave(how: "done" | "cut" | "stopping"): Promise<void>;
}

export interface WorkBeat {
  /** How many more tasks it wants now; replaces what it said before. */
  readonly ready: number;
  /** The highest assignment it has seen; null where it does not say. */
  readonly acked: number | null;
  readonly echo: number | null;
  readonly draining: boolean;
  /** What has changed of it. */
  readonly condition: Partial<Condition> | null;
  readonly progress: readonly (HeldAttempt & { readonly report: ProgressReport })[];
  readonly logs: readonly (HeldAttempt & {
    readonly level: LogLevel;
    readonly message: string;
    /** Null: now. */
    readonly at: number | null;
  })[];
  readonly alerts: readonly Alert[];
  readonly results: readonly (HeldAttempt & { readonly move: Conclusion })[];
  /** Commands that it has obeyed, or not. */
  readonly acks: readonly (CommandAnswer & { readonly id: string })[];
}

export type { Alert };

export interface WorkDeskParts {
  readonly operations: Operations;
  readonly conditions: Conditions;
  readonly outputs: Pick<Outputs, "check">;
}

export function workDesk(around: Surroundings, parts: WorkDeskParts): WorkDesk & { stop(): void } {
  const entries = workEntries(around, parts);
  return { enter: entries.enter, stop: entries.stop };
}
