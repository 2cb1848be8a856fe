// A broker whose handlers the test plays itself: nothing happens to an assignment until the test says what.

import type { Assignment, Ending, Hold, InternalJob } from "../core/internal-job.ts";
import type { Broker, Reports } from "../ports/broker.ts";

export interface FakeBroker extends Broker {
  /** What was accepted and has not ended, in order. */
  readonly out: readonly Assignment[];
  readonly aborted: readonly { readonly task: string; readonly reason: string }[];
  /** From now on there are so many. */
  setPlaces(places: number): void;
  /** From now on nothing is accepted, or again. */
  refuse(refuses: boolean): void;
  begin(task: string): Promise<boolean>;
  end(task: string, ending?: Ending): void;
  readonly reports: Reports;
}

export function anInternalJob(about: Partial<InternalJob> = {}): InternalJob {
  return { name: "@internal:modifiers:Inside", schema: "{}", output: null, queue: null, policy: {}, ...about };
}

/** Handlers that are aborted end at once, as those do that listen. */
export function fakeBroker(jobs: readonly InternalJob[] = [anInternalJob()], placesAtFirst = 2): FakeBroker {
  const out = new Map<string, Assignment>();
  const aborted: { task: string; reason: string }[] = [];
  let told: Reports | null = null;
  let refuses = false;
  let places = placesAtFirst;

  function holdOf(task: string): Assignment {
    const found = out.get(task);
    if (found === undefined) throw new Error(`Task ${task} is not out`);
    return found;
  }

  function end(hold: Hold, ending: Ending): void {
    out.delete(hold.task);
    reports().ended(hold, ending);
  }

  function reports(): Reports {
    if (told === null) throw new Error("The broker was not started");
    return told;
  }

  return {
    aborted,
    get places() {
      return places;
    },
    setPlaces(now) {
      places = now;
      reports().placed();
    },
    get out() {
      return [...out.values()];
    },
    get reports() {
      return reports();
    },
    async start(to) {
      told = to;
      return jobs;
    },
    async dispatch(assignments) {
      return assignments.map((assignment) => {
        const takes = !refuses && out.size < places && jobs.some(({ name }) => name === assignment.job);
        if (takes) out.set(assignment.task, assignment);
        return takes;
      });
    },
    abort(hold, reason) {
      if (out.get(hold.task)?.attempt !== hold.attempt) return;
      aborted.push({ task: hold.task, reason });
      const error = { message: reason, code: null, details: null };
      end(hold, { type: "failed", error, retryable: true });
    },
    async stop() {
      refuses = true;
      for (const hold of out.values()) {
        end(hold, { type: "failed", error: { message: "stopped", code: null, details: null }, retryable: true });
      }
    },
    refuse(now) {
      refuses = now;
    },
    begin: (task) => reports().started(holdOf(task)),
    end: (task, ending = { type: "completed", result: null }) => end(holdOf(task), ending),
  };
}
