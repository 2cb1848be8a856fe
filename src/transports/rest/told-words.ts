// What is passed on as it came: the texts of values, not the values that were read from them.

import type { Static } from "typebox";
import type { DeferWords } from "../../engine/desks/settle-desk.ts";
import { type JsonPath, memberTexts } from "../../protocol/member-text.ts";
import type { TaskDefer } from "../../protocol/rest/task-bodies.ts";

/** Null where a value is absent or says null. */
export function givenText(text: string | undefined): string | null {
  return text === undefined || text === "null" ? null : text;
}

/** A deferral that stands at a place in the body. */
export function deferWords(
  { total, messages = [] }: Pick<Static<typeof TaskDefer>, "total" | "messages">,
  body: string,
  at: JsonPath,
): DeferWords {
  if (messages.length === 0) return { total: total ?? 0 };
  const payloads = memberTexts(body, [...at, "messages"], "payload");
  return {
    total: total ?? messages.length,
    messages: messages.map(({ queue, operation }, nth) => ({ queue, operation, payload: payloads[nth] ?? "{}" })),
  };
}
