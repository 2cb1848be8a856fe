// A connected worker as this server sees it: its session, its record, and what is said about it elsewhere.

import type { Principal } from "../../core/access.ts";
import { isGivenUp } from "../../core/liveness.ts";
import { specJob } from "../../core/name.ts";
import type { WorkerRecord } from "../../ports/records.ts";
import { evictedWord } from "../control/evictions.ts";
import type {
  SpecVerdict,
  WorkBeat,
  WorkDeskParts,
  WorkLine,
  WorkRegistration,
  WorkSession,
} from "../desks/work-desk.ts";
import type { Surroundings } from "../surroundings.ts";
import { commandsTo } from "./commands-to.ts";
import { guestNotes, mismatched, mismatchedBefore } from "./guest-notes.ts";
import type { Hands } from "./in-hand.ts";
import { idsOf, recordOf } from "./registration.ts";
import { linksOf, specVerdict } from "./spec-verdicts.ts";
import { words as wordsOf } from "./words.ts";
import { type Session, workSession } from "./work-session.ts";
import { workerNotes } from "./worker-notes.ts";

export interface Guest
  extends Pick<WorkSession, "verdicts" | "beat" | "alive" | "relief" | "change" | "tick" | "leave"> {
  readonly entry: string;
  recordChanged(worker: WorkerRecord): void;
  jobsChanged(names: ReadonlySet<string>): void;
  end(why: "replaced" | null): void;
}

/** On the worker's own topic, before the entry of the connection with which it goes on. */
export const movedTo = "moved ";

export interface GuestParts extends WorkDeskParts {
  readonly who: Principal;
  readonly words: WorkRegistration;
  readonly line: WorkLine;
  readonly record: WorkerRecord;
  readonly hands: Hands;
  readonly resumed: boolean;
  /** As it was kept before it came back. */
  readonly former: WorkerRecord | null;
  /** Of this connection among all servers; a later one is greater. */
  readonly entry: string;
}

export function guest(around: Surroundings, parts: GuestParts): Guest {
  const { bus } = around;
  const { operations, who, line, record, hands, resumed, entry } = parts;
  const {
    id: worker,
    session: { lostMs },
  } = record;
  const { note, raise } = workerNotes(around, operations, worker);
  const notes = guestNotes(around, { note, operations, conditions: parts.conditions, worker });
  let { words } = parts;
  let ids = idsOf(words);
  let verdicts = judged();

  const session: Session = workSession(
    around,
    {
      ...{ operations, changed: notes.changed },
      words: wordsOf(around, {
        ...{ worker, hands, line, operations, conditions: parts.conditions, checkResult: parts.outputs.check },
        alert: raise,
        freed: () => session.freed(),
      }),
    },
    { ...{ worker, registration: words, line, hands, lostMs, resumed }, specOf: (job) => ids.get(job) ?? job },
  );
  const unlisten = bus.subscribe(`worker:${worker}`, (message) => {
    if (message.startsWith(movedTo) && message.slice(movedTo.length) > entry) end("replaced");
    else takeAway(session, message);
  });
  const commands = commandsTo(around, {
    ...{ worker, line, operations, isDraining: session.isDraining, obeys: () => words.commands },
  });
  notes.mismatches(words, verdicts, mismatchedBefore(operations.catalog, words, parts.former));

  function judged(): readonly SpecVerdict[] {
    return words.specs.map((spec) => specVerdict(operations.catalog, who, spec));
  }

  function beat(said: WorkBeat): void {
    session.beat(said);
    commands.beaten(said.acks);
  }

  function end(why: "lost" | "replaced" | null): void {
    unlisten();
    commands.stop();
    session.end(why);
  }

  return {
    ...{ entry, beat, alive: session.alive, relief: session.relief, tick: session.tick, end, verdicts: () => verdicts },
    async change(said) {
      const links = linksOf(who, said.specs);
      await operations.workers.change(worker, { ...recordOf(said), jobs: links });
      [words, ids] = [said, idsOf(said)];
      session.renew(said);
      const before = verdicts;
      verdicts = judged();
      notes.mismatches(words, verdicts, mismatched(before));
    },
    recordChanged(now) {
      if (isGivenUp(now.session)) end("lost");
      else commands.changed(now);
      // It may be allowed more than before, or less.
      session.freed();
    },
    jobsChanged(names) {
      if (!words.specs.some(({ id }) => names.has(specJob(id)))) return;
      const before = verdicts;
      verdicts = judged();
      if (JSON.stringify(before) === JSON.stringify(verdicts)) return;
      notes.mismatches(words, verdicts, mismatched(before));
      line.specs(verdicts);
    },
    async leave(how) {
      const isDone = how === "done" && session.goodbye();
      end(null);
      const known = operations.catalog.worker(worker);
      if (isDone && known !== undefined) await operations.losing.remove(known);
    },
  };
}

/** A task of its own was cancelled, or a certain attempt at it was given to others. */
function takeAway({ cancelled }: Pick<Session, "cancelled">, message: string): void {
  const [word, task = "", attempt] = message.split(" ");
  if (word === "cancel") cancelled(task);
  else if (`${word} ` === evictedWord) cancelled(task, Number(attempt));
}
