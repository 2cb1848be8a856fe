// A frame as text becomes a heartbeat that is as described, or a problem that names the field. What workers hand in for
// others (results, details, checkpoints) is kept as the text it came in. This is on the way of every result.

import { badField } from "../../core/problem.ts";
import type { DeferWords } from "../../engine/desks/settle-desk.ts";
import { type JsonLimits, readJson } from "../../protocol/json-text.ts";
import { manyMemberTexts, memberText } from "../../protocol/member-text.ts";
import { Heartbeat, type WorkResult } from "../../protocol/work/frames.ts";
import { partCheck } from "../rest/request-check.ts";
import { deferWords } from "../rest/told-words.ts";

/** The texts of a result's members that pass through unread. */
export interface ResultTexts {
  readonly data: string | null;
  readonly details: string | null;
  readonly checkpoint: string | null;
  /** Of a task that is left open: what it waits for. */
  readonly deferral: DeferWords | null;
}

export interface ReadHeartbeat {
  readonly heartbeat: Heartbeat;
  /** One for each of its results. */
  readonly texts: readonly ResultTexts[];
}

const check = partCheck(Heartbeat, "");

/** Null: a message of a type that this version does not know, which is ignored. */
export function readFrame(text: string, limits: JsonLimits): ReadHeartbeat | null {
  const value = readJson(text, limits);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw badField("", "must be an object");
  const { type } = value as { readonly type?: unknown };
  if (type === undefined) throw badField("/type", "is missing");
  if (typeof type !== "string") throw badField("/type", "must be a string");
  if (type !== "heartbeat") return null;
  check(value, text.length);
  const heartbeat = value as Heartbeat;
  return { heartbeat, texts: heartbeat.results === undefined ? [] : resultTexts(text, heartbeat.results) };
}

const kept = ["data", "checkpoint", "error"] as const;

function resultTexts(text: string, results: NonNullable<Heartbeat["results"]>): ResultTexts[] {
  const found = manyMemberTexts(text, ["results"], kept);
  return results.map((result, i) => {
    const { error } = result;
    const [data = null, checkpoint = null, failure] = found[i] ?? [];
    const details = error?.details === undefined ? null : (memberText(failure ?? "", ["details"]) ?? null);
    const deferral = result.outcome === "deferred" ? deferralIn(text, result, i) : null;
    return { data, checkpoint, details, deferral };
  });
}

function deferralIn(text: string, words: WorkResult, nth: number): DeferWords {
  if (words.total === undefined && words.messages === undefined) throw badField(`/results/${nth}/total`, "is missing");
  return deferWords(words, text, ["results", nth]);
}
