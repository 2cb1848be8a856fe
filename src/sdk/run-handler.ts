// One attempt at one task, from its payload to how it ended. Whatever a handler does, throws or answers, there is an
// outcome; nothing here knows where the task came from or where the outcome goes.

import { durationMsMax } from "../core/checks.ts";
import { afterwards, isPending } from "./afterwards.ts";
import { cannotDefer, checkedDeferral } from "./deferral.ts";
import { Fail, RetryLater } from "./ending.ts";
import { failureOf } from "./failure.ts";
import type { JobDefinition, Task } from "./job.ts";
import { offenceIn } from "./json-offence.ts";
import type { FieldFault } from "./problem.ts";
import { type TaskPort, taskVoice } from "./task-voice.ts";
import { validate } from "./validate.ts";

export interface TaskFacts {
  readonly id: string;
  /** Full name. */
  readonly job: string;
  readonly room: string;
  readonly attempt: number;
  /** As it was read from JSON. */
  readonly payload: unknown;
  /** As it was read from JSON; null or undefined where there is none. */
  readonly checkpoint?: unknown;
}

export interface Failure {
  /** Never empty. */
  readonly message: string;
  readonly code: string | null;
  /** JSON text. */
  readonly details: string | null;
  readonly retryable: boolean;
}

export type Outcome =
  /** `result` is JSON text; null where the handler answered nothing. */
  | { readonly type: "completed"; readonly result: string | null }
  | ({ readonly type: "failed" } & Failure)
  /** `checkpoint` is JSON text; null where the handler gave none. */
  | {
      readonly type: "released";
      readonly delayMs: number;
      readonly checkpoint: string | null;
      /** Absent where the handler asked for it. */
      readonly reason?: "shutdown";
    };

/** What every door takes. */
export const resultBytesMax = 1_048_576;

/** Never throws. */
export async function runHandler(...parts: Parameters<typeof runAtOnce>): Promise<Outcome> {
  return runAtOnce(...parts);
}

/** The same, with no wait where the handler has none. */
export function runAtOnce(
  job: JobDefinition,
  facts: TaskFacts,
  port: TaskPort,
  signal: AbortSignal,
): Outcome | Promise<Outcome> {
  try {
    const outcome = afterwards(validate(job.options.input, facts.payload), (input) => {
      if ("faults" in input) throw misfit("invalid-input", "The payload", input.faults);
      const answer = job.handler(taskOf(facts, input.value, port, signal));
      return afterwards(answer, (said) => completed(job, said));
    });
    return isPending(outcome) ? outcome.catch(endedBy) : outcome;
  } catch (error) {
    return endedBy(error);
  }
}

/** Throws, or rejects with, how the task ends where it is not with this answer. */
export function completed(job: JobDefinition, answer: unknown): Outcome | Promise<Outcome> {
  // Thrown or answered, it means the same.
  if (isRetryLater(answer)) throw answer;
  return afterwards(validate(job.options.output, answer), (output) => {
    if ("faults" in output) throw misfit("invalid-output", "The result", output.faults);
    return { type: "completed", result: jsonText("result", output.value) };
  });
}

function endedBy(error: unknown): Outcome {
  return isRetryLater(error) ? released(error) : { type: "failed", ...failureOf(error) };
}

function taskOf(facts: TaskFacts, input: unknown, port: TaskPort, signal: AbortSignal): Task {
  const { id, job, room, attempt, checkpoint } = facts;
  return {
    ...{ id, job, room, attempt, input, signal, checkpoint: checkpoint ?? undefined, session: undefined },
    ...taskVoice(port),
    defer(deferral) {
      if (port.defer === undefined) throw cannotDefer();
      port.defer(checkedDeferral(deferral));
    },
  };
}

function misfit(code: string, what: string, faults: readonly FieldFault[]): Fail {
  const shown = faults.slice(0, 20);
  const fields = shown.map(({ pointer, detail }) => (pointer === "" ? detail : `${pointer}: ${detail}`)).join("; ");
  // Another attempt would meet the same payload and the same code.
  return new Fail(`${what} does not fit: ${fields}`, { code, details: { errors: shown }, retryable: false });
}

const retryNames: readonly string[] = ["RetryLater", "RetryLaterError"];

/** By its looks: a worker file may have brought a copy of this package of its own. */
function isRetryLater(value: unknown): value is RetryLater {
  if (value instanceof RetryLater) return true;
  return value instanceof Error && retryNames.includes(value.name) && "delayMs" in value;
}

function released({ delayMs, checkpoint }: RetryLater): Outcome {
  try {
    return { type: "released", delayMs: wholeDelay(delayMs), checkpoint: jsonText("checkpoint", checkpoint) };
  } catch (error) {
    return { type: "failed", ...failureOf(error) };
  }
}

/** What only looks like a `RetryLater` may hold anything. */
function wholeDelay(delayMs: unknown): number {
  if (typeof delayMs === "number" && delayMs >= 0 && delayMs <= durationMsMax) return Math.round(delayMs);
  const message = `The task asked to be tried again in ${String(delayMs)} ms; servers take 0 to ${durationMsMax}`;
  throw new Fail(message, { code: "delay-refused", retryable: false });
}

function jsonText(what: "result" | "checkpoint", value: unknown): string | null {
  if (value === undefined) return null;
  const text = written(what, value);
  const bytes = Buffer.byteLength(text);
  if (bytes > resultBytesMax) {
    const message = `The ${what} has ${bytes} bytes as JSON, at most ${resultBytesMax} fit`;
    throw new Fail(message, { code: `${what}-too-large`, retryable: false });
  }
  const says = offenceIn(text);
  if (says === null) return text;
  throw new Fail(`The ${what} cannot be told to a server: it ${says}`, { code: `${what}-refused`, retryable: false });
}

function written(what: string, value: unknown): string {
  const code = `${what}-not-json`;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    // Circles, BigInts, or a `toJSON` that throws.
    const why = error instanceof Error ? error.message : String(error);
    throw new Fail(`The ${what} cannot be written as JSON: ${why}`, { code, retryable: false, cause: error });
  }
  if (text === undefined) {
    throw new Fail(`The ${what} cannot be written as JSON: it is a ${typeof value}`, { code, retryable: false });
  }
  return text;
}
