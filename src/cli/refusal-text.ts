// What the server refused, and a server that is away, as people and programs read it.

import { ServerProblem, ServerUnreachable } from "../sdk/problem.ts";
import { faultText } from "./fault-text.ts";
import { plain } from "./plain.ts";

/** The first line says what; further ones name each field, and what can be done. Null where it is something else. */
export function refusalLines(error: unknown): string[] | null {
  if (error instanceof ServerProblem) return problemLines(error);
  if (error instanceof ServerUnreachable) return [unreachableText(error)];
  if (error instanceof DOMException && error.name === "TimeoutError") return ["The server did not answer in time"];
  return null;
}

/** One line; null where it is no refusal. */
export function refusalJson(error: unknown): string | null {
  if (error instanceof ServerProblem) {
    const { code, status, message: detail, errors } = error;
    return JSON.stringify({ code, status, detail, errors });
  }
  const [detail] = refusalLines(error) ?? [];
  return detail === undefined ? null : JSON.stringify({ code: "unreachable", status: null, detail, errors: [] });
}

function problemLines({ message, code, status, errors, retryAfterMs }: ServerProblem): string[] {
  const hint = hints[code];
  const later = retryAfterMs === null ? [] : [`  Try again in ${Math.ceil(retryAfterMs / 1_000)} s.`];
  return [
    `${plain(message)} (${code}, ${status})`,
    ...errors.map(({ pointer, detail }) => `  ${plain(pointer)}: ${plain(detail)}`),
    ...(hint === undefined ? [] : [`  ${hint}`]),
    ...later,
  ];
}

const hints: Readonly<Record<string, string>> = {
  unauthorized: "Give a token by LEADHAND_TOKEN or --token; `leadhand token create` makes one on the server's machine.",
  forbidden: "`leadhand doctor` says what this token may do.",
  "not-found": "The server does not know this route; is it an older one, or something else at this URL?",
};

function unreachableText(error: ServerUnreachable): string {
  const url = /https?:\/\/[^/\s]+/.exec(error.message)?.[0] ?? "the server";
  return `No answer from ${url}: ${causeText(error)}. Is a server running there? --url or LEADHAND_URL names another`;
}

/** `fetch` says only that it failed; why is in its cause. */
export function causeText(error: Error): string {
  let cause: unknown = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  return faultText(cause);
}

/** Whether nothing was sent at all, because nobody listens there, or could. */
export function isNobodyThere(error: unknown): boolean {
  const causes: unknown[] = [];
  for (let each = error; each instanceof Error; each = each.cause) {
    causes.push(each, ...(each instanceof AggregateError ? each.errors : []));
  }
  const codes = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];
  // `fetch` does not even try ports that belong to something else by tradition.
  if (causes.some((each) => each instanceof Error && each.message === "bad port")) return true;
  return causes.some((each) => each instanceof Error && "code" in each && codes.includes(String(each.code)));
}
