// How messages ended, told to the server together. It alone says that a parent is final or gone; whatever else it refuses
// is no reason to forget a message.

import { handedOnEvent } from "../../core/messages.ts";
import { wordsOf } from "../failure.ts";
import { plainText } from "../plain-text.ts";
import { ServerProblem } from "../problem.ts";
import { reportBody } from "../reports.ts";
import type { SteadyApi } from "../steady-api.ts";
import { newKey, now } from "../system.ts";
import type { WorkerLog } from "../worker/options.ts";
import { inBodies } from "./in-bodies.ts";

/** How one message ended. */
export interface MessageMark {
  /** Null where it says none: it is counted each time that it comes, but once for each time that it is told. */
  readonly index: number | null;
  readonly status: "done" | "failed";
  readonly error?: { readonly code: string | null; readonly message: string };
}

/** How a parent stands; "gone" where there is none, "forbidden" where this token may not count on it. */
export type Standing = "open" | "final" | "gone" | "forbidden";

export interface MarkTellingParts {
  readonly api: SteadyApi;
  readonly log: WorkerLog;
  readonly signal: AbortSignal;
  onStanding(parent: string, standing: Standing): void;
}

/** The server keeps no more of it. */
const wordsMax = 500;
const codeMax = 255;
/** Of one request: a body has at most four million bytes, and a character up to six in JSON. */
const charactersMax = 500_000;
const finals: readonly string[] = ["completed", "failed", "cancelled"];

/** An older server that knows no such path says 404 too. */
export function isGone(error: unknown): boolean {
  return error instanceof ServerProblem && error.code === "task-not-found";
}

function isForbidden(error: unknown): boolean {
  return error instanceof ServerProblem && error.code === "forbidden";
}

export function standingOf({ status }: { readonly status: string }): Standing {
  return finals.includes(status) ? "final" : "open";
}

/**
 * Resolves for each, in order, with whether it is done with: false is one that the server takes in no company and not
 * alone. Rejects where none can be told now.
 */
export async function tellMarks(
  parts: MarkTellingParts,
  parent: string,
  marks: readonly MessageMark[],
): Promise<readonly boolean[]> {
  const told: boolean[] = [];
  for (const some of inBodies(marks.map(markText), charactersMax)) told.push(...(await tell(parts, parent, some)));
  return told;
}

/** A sign of life: somebody works on a message of it, and has nothing to count yet. Never rejects. */
export async function keepAwake({ api, log, signal, onStanding }: MarkTellingParts, parent: string): Promise<void> {
  try {
    onStanding(parent, await standingByCount({ api, signal }, parent));
  } catch (error) {
    log.debug("a sign of life was not heard", { task: parent, why: wordsOf(error) });
  }
}

type Asking = Pick<MarkTellingParts, "api" | "signal">;

/**
 * Rejects where it cannot be learnt now. Whoever may work on a parent's job may count on it without seeing it, for a room of
 * its own hides it; and whoever sees it need not be one who may count.
 */
export async function standingNow(asking: Asking, parent: string, before: Standing): Promise<Standing> {
  const seen = await standingBySight(asking, parent);
  if (seen === "final" || (seen === "open" && before !== "forbidden")) return seen;
  return standingByCount(asking, parent);
}

async function standingBySight({ api, signal }: Asking, parent: string): Promise<Standing> {
  try {
    return standingOf((await api.request<{ status: string }>("GET", `/tasks/${parent}`, { tries: 1, signal })).body);
  } catch (error) {
    if (isGone(error)) return "gone";
    throw error;
  }
}

/** It is a sign of life too. */
async function standingByCount({ api, signal }: Asking, parent: string): Promise<Standing> {
  try {
    const ask = { body: { marks: [] }, signal, tries: 1 };
    return standingOf((await api.request<{ status: string }>("POST", `/tasks/${parent}/count`, ask)).body);
  } catch (error) {
    if (isGone(error)) return "gone";
    if (isForbidden(error)) return "forbidden";
    throw error;
  }
}

/** Answers whether it was told: messages of it are about to be in this queue too, where nobody else would look for them. */
export async function tellHandedOn(
  { api, log, signal }: Pick<MarkTellingParts, "api" | "log" | "signal">,
  parent: string,
  queue: string,
): Promise<boolean> {
  const line = { level: "info", message: "", event: handedOnEvent, fields: { queue }, at: now() } as const;
  try {
    const body = reportBody({ kind: "logs", lines: [line] });
    await api.request("POST", `/tasks/${parent}/logs`, { body, signal, tries: 3 });
    return true;
  } catch (error) {
    log.debug("it was not told where messages are handed on to", { task: parent, queue, why: wordsOf(error) });
    return false;
  }
}

async function tell(parts: MarkTellingParts, parent: string, marks: readonly MarkText[]): Promise<readonly boolean[]> {
  const { api, log, signal, onStanding } = parts;
  const body = `{"marks":[${marks.map(({ text }) => text).join(",")}]}`;
  // By an index the server knows a mark that comes again; without one, it has to know the request.
  const headers = marks.every(({ isIndexed }) => isIndexed) ? {} : { "idempotency-key": newKey() };
  try {
    const ask = { body, signal, headers };
    const { body: said } = await api.request<{ status: string }>("POST", `/tasks/${parent}/count`, ask);
    onStanding(parent, standingOf(said));
    return marks.map(() => true);
  } catch (error) {
    if (!(error instanceof ServerProblem)) throw error;
    if (isGone(error)) {
      log.warn("messages were not counted: their task is gone", { task: parent, marks: marks.length });
      onStanding(parent, "gone");
      return marks.map(() => true);
    }
    if (isForbidden(error)) onStanding(parent, "forbidden");
    if (error.status !== 413 && error.status !== 422) throw error;
    if (marks.length > 1) return singly(parts, parent, marks);
    log.warn("the server cannot read how a message ended", { task: parent, why: wordsOf(error) });
    return [false];
  }
}

/** One that the server cannot read must not speak for the others. */
async function singly(
  parts: MarkTellingParts,
  parent: string,
  marks: readonly MarkText[],
): Promise<readonly boolean[]> {
  const told: boolean[] = [];
  for (const mark of marks) told.push(...(await tell(parts, parent, [mark])));
  return told;
}

interface MarkText {
  readonly text: string;
  readonly isIndexed: boolean;
}

function markText({ index, status, error }: MessageMark): MarkText {
  const why = error && {
    code: error.code === null ? null : plainText(error.code, codeMax),
    message: plainText(error.message, wordsMax),
  };
  const words = { ...(index !== null && { index }), status, ...(why && { error: why }) };
  return { text: JSON.stringify(words), isIndexed: index !== null };
}
