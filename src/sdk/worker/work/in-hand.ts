// The tasks a worker has in hand on `/work`: they wait for their turn, run, and are kept until the server has said what
// became of their result.

import type { AssignedJob } from "../../../protocol/work/frames.ts";
import type { JobDefinition } from "../../job.ts";
import { type Outcome, runAtOnce } from "../../run-handler.ts";
import type { TaskPort } from "../../task-voice.ts";
import { endOf, toldAfter, unknownJob } from "../attempt.ts";
import type { Ack } from "./acknowledged.ts";
import { type BookParts, book } from "./book.ts";
import { abort, type HeldTask, heldTask } from "./held-task.ts";
import { sayable } from "./sayable.ts";
import { turns } from "./turns.ts";

export interface InHandParts extends BookParts {
  readonly concurrency: number;
  readonly prefetch: number;
  readonly jobs: ReadonlyMap<string, JobDefinition>;
  portOf(held: HeldTask): TaskPort;
  /** A hand is free, or nothing is in hand any more. */
  onChange(): void;
}

export interface InHand {
  /** How many run side by side from now on; null: as many as at first. */
  setConcurrency(value: number | null): void;
  /** How many more tasks it wants now. */
  wanted(): number;
  /** Still its own, as far as it knows. */
  held(): Iterable<HeldTask>;
  count(): number;
  /** Whether no handler is waited for, and all is told. */
  isQuiet(): boolean;
  /** It waits until `start`. */
  take(job: AssignedJob): void;
  start(): void;
  /** Answers what has to be told again, later. */
  acked(ack: Ack): HeldTask | null;
  cancel(task: string, attempt: number | null): void;
  /** Not its own any more: these, or all. */
  lose(lost: readonly { readonly jobId: string; readonly attempt: number }[] | "all"): void;
  /** What has not been started is for others; with `close` so is what still comes. */
  handBack(close: boolean): void;
  /** Asks every handler to end. */
  hurry(): void;
  /** What still runs goes back without its handler; answers which. */
  giveUp(): readonly string[];
}

/** Back to where it came from, as if it had never been handed out. */
const handedBack: Outcome = { type: "released", delayMs: 0, checkpoint: null };

export function inHand(parts: InHandParts): InHand {
  const { onChange } = parts;
  let { concurrency } = parts;
  const capacity = (): number => concurrency + parts.prefetch;
  const tasks = book(parts);
  const { enter, find, end, drop, letGo, acked } = tasks;
  const { waiting, running, start } = turns(
    () => concurrency,
    (held) => run(parts, held),
    handled,
  );
  let isClosed = false;

  function handled(held: HeldTask, outcome: Outcome): void {
    const told = toldAfter(outcome, held.cause);
    if (held.stage === "running" && told !== null) end(held, sayable(endOf(told, held.deferral)));
    else drop(held);
    onChange();
  }

  function forget(held: HeldTask | undefined, why: "cancelled" | "lost"): void {
    if (held === undefined) return;
    const place = held.stage === "waiting" ? waiting.indexOf(held) : -1;
    if (place >= 0) waiting.splice(place, 1);
    letGo(held, why);
  }

  return {
    // Twice as many as it may have: one lot that is being told, and one that runs meanwhile.
    wanted: () => Math.max(0, Math.min(capacity() - waiting.length - running.length, 2 * capacity() - tasks.count())),
    setConcurrency(value) {
      concurrency = value ?? parts.concurrency;
      start();
      onChange();
    },
    held: tasks.all,
    count: tasks.count,
    isQuiet: () => tasks.count() === 0 && running.every(({ stage }) => stage === "ended"),
    take(job) {
      const known = find(job.id, null);
      if (known?.job.attempt === job.attempt) return;
      // An attempt at the same task that is still here was given up by the server.
      forget(known, "lost");
      const held = heldTask(job);
      enter(held);
      if (isClosed) end(held, handedBack);
      else waiting.push(held);
    },
    start,
    acked(ack) {
      const again = acked(ack);
      onChange();
      return again;
    },
    cancel(task, attempt) {
      forget(find(task, attempt), "cancelled");
      onChange();
    },
    lose(lost) {
      const found = lost === "all" ? [...tasks.all()] : lost.map(({ jobId, attempt }) => find(jobId, attempt));
      for (const held of found) forget(held, "lost");
      onChange();
    },
    handBack(close) {
      isClosed ||= close;
      for (const held of waiting.splice(0)) end(held, handedBack);
    },
    hurry() {
      for (const held of running) abort(held, "draining");
    },
    giveUp() {
      const left = running.filter(({ stage }) => stage === "running");
      for (const held of left) {
        abort(held, "lost");
        // Nobody waits for the handler of a task that is another's.
        if (held.cause === "draining") end(held, handedBack);
        else drop(held);
      }
      return left.map(({ job }) => job.id);
    },
  };
}

function run({ jobs, portOf }: InHandParts, held: HeldTask): Outcome | Promise<Outcome> {
  const { id, attempt, parameters: payload, meta, spec } = held.job;
  const job = jobs.get(spec.id);
  if (job === undefined) return unknownJob();
  held.stop = new AbortController();
  const facts = { id, job: spec.id, room: meta.room, attempt, payload, checkpoint: meta.checkpoint };
  return runAtOnce(job, facts, portOf(held), held.stop.signal);
}
