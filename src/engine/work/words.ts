// What a worker says about what it has in hand: how it goes, what happens, how it ended.

import { isWanted } from "../../core/log-level.ts";
import { Problem } from "../../core/problem.ts";
import type { TaskCard, TaskRecord } from "../../ports/records.ts";
import type { Conclusion } from "../concluding.ts";
import type { Ending } from "../concluding-all.ts";
import type { Conditions } from "../desks/conditions.ts";
import type { Alert, WorkBeat, WorkLine } from "../desks/work-desk.ts";
import type { Operations } from "../engine.ts";
import type { HeldAttempt } from "../letting-go.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Hands } from "./in-hand.ts";
import { pressure } from "./pressure.ts";

export interface WordsParts {
  readonly worker: string;
  readonly hands: Hands;
  readonly line: Pick<WorkLine, "told">;
  readonly operations: Pick<Operations, "concludeAll" | "progress" | "records">;
  readonly conditions: Conditions;
  /** Throws when a result does not look as its job says. */
  checkResult(task: Pick<TaskRecord, "card">, result: string | null): void;
  alert(alert: Alert): void;
  /** Something is out of the worker's hands. */
  freed(): void;
}

export interface Words {
  /** `spoken` is told of every attempt that is spoken of. */
  say(beat: WorkBeat, spoken: (attempt: HeldAttempt) => void): void;
  /** Whether there is nothing in it to say. */
  isNothing(beat: WorkBeat): boolean;
  /** Null while there is room for more of them; else until there is. */
  relief(): Promise<void> | null;
}

export function words({ clock, log }: Surroundings, parts: WordsParts): Words {
  const { worker, hands, line, operations } = parts;
  const waiting = pressure();
  const { add, relief } = waiting;

  function checked(card: TaskCard | undefined, move: Conclusion): { move: Conclusion; fault: Problem | null } {
    if (card === undefined || move.type !== "complete") return { move, fault: null };
    try {
      parts.checkResult({ card }, move.result);
      return { move, fault: null };
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      const details = fault.errors.length === 0 ? null : JSON.stringify({ errors: fault.errors });
      const error = { message: fault.message, code: "invalid_result", details };
      return { move: { type: "fail", error, retryable: false }, fault };
    }
  }

  function conclude(results: WorkBeat["results"]): void {
    const endings: CheckedEnding[] = [];
    for (const { task, attempt, move } of results) {
      const one = hands.get(task, attempt);
      // The same once more, while the first is being written: one answer is for both.
      if (one?.ending === move.type) continue;
      if (one !== undefined) one.ending = move.type;
      const characters = lengthOf(move);
      waiting.begin(characters);
      endings.push({ ...{ task, attempt, characters }, ...checked(one?.open.card, move) });
    }
    operations.concludeAll(worker, endings, told);
  }

  function told(ending: CheckedEnding, refusal: Problem | null): void {
    if (refusal === null || refusal.retry || isOver(refusal)) end(ending, refusal ?? ending.fault);
    else fail(ending, refusal);
  }

  function fail(ending: CheckedEnding, refusal: Problem): void {
    const { task, attempt } = ending;
    // What cannot be kept, a result that is too large for one, is a failure: nobody else would ever end the task.
    const error = { message: refusal.message, code: refusal.code, details: null };
    const failure = { task, attempt, move: { type: "fail", error, retryable: false } as const };
    operations.concludeAll(worker, [failure], (_, second) => end(ending, second?.retry ? second : refusal));
  }

  function end({ task, attempt: number, characters }: CheckedEnding, refusal: Problem | null): void {
    const attempt = { task, attempt: number };
    waiting.end(characters);
    line.told(attempt, refusal);
    const one = hands.get(attempt.task, attempt.attempt);
    if (one !== undefined) one.ending = null;
    if (refusal?.retry === true) return;
    hands.letGo(attempt);
    parts.freed();
  }

  function progress({ task, attempt, report }: WorkBeat["progress"][number]): void {
    if (hands.get(task, attempt) === undefined) return;
    const written = operations.progress(task, { holder: { worker, attempt } }, report).catch((error: unknown) => {
      if (!(error instanceof Problem)) log.warn("progress could not be written", { task, error });
    });
    add(report.message?.length ?? 0, written);
  }

  function logs(lines: WorkBeat["logs"]): void {
    const now = clock.now();
    const wanted = lines.filter(({ task, attempt, level }) => {
      const one = hands.get(task, attempt);
      return one !== undefined && isWanted(level, one.open.card.logs);
    });
    if (wanted.length === 0) return;
    const written = operations.records
      .log(wanted.map(({ at, ...line }) => ({ ...line, at: at ?? now })))
      .catch((error: unknown) => log.warn("lines of a worker's logs could not be written", { worker, error }));
    add(
      wanted.reduce((sum, { message }) => sum + message.length, 0),
      written,
    );
  }

  /** Whoever beats here by itself is not blocked, unless it says so. */
  function condition(said: WorkBeat["condition"]): void {
    if (said !== null || parts.conditions.isBlocked(worker)) parts.conditions.change(worker, { blockedMs: 0, ...said });
  }

  return {
    relief,
    isNothing: (beat) => isEmpty(beat) && !parts.conditions.isBlocked(worker),
    say(beat, spoken) {
      condition(beat.condition);
      beat.progress.forEach(spoken);
      beat.progress.forEach(progress);
      if (beat.logs.length > 0) logs(beat.logs);
      beat.alerts.forEach(parts.alert);
      beat.results.forEach(spoken);
      if (beat.results.length > 0) conclude(beat.results);
    },
  };
}

interface CheckedEnding extends Ending {
  /** What is wrong with the result; then it is a failure. */
  readonly fault: Problem | null;
  /** How long its text was. */
  readonly characters: number;
}

function isEmpty({ condition, progress, logs, alerts, results }: WorkBeat): boolean {
  return condition === null && progress.length + logs.length + alerts.length + results.length === 0;
}

/** The attempt is over, whatever its worker says. */
function isOver({ code }: Problem): boolean {
  return code === "lease-lost" || code === "invalid-task-transition" || code === "task-not-found";
}

function lengthOf(move: Conclusion): number {
  switch (move.type) {
    case "complete":
      return move.result?.length ?? 0;
    case "fail":
      return move.error.message.length + (move.error.details?.length ?? 0);
    case "release":
      return move.checkpoint?.length ?? 0;
    case "defer":
      return (move.messages ?? []).reduce((sum, { payload }) => sum + payload.length, 0);
  }
}
