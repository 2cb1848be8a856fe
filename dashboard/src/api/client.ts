// The only way to the server. Who we are is in a cookie that no script can read; the csrf token proves that it is this page
// that asks.

import { parseExactly } from "./exact-json.ts";
import { apiUrl } from "./place.ts";
import { Refusal, refusalOf } from "./problem.ts";
import type { Answer, Ask, RouteName } from "./routes.ts";

let csrf: string | null = null;
let onStranger = () => {};

export function setCsrf(token: string | null): void {
  csrf = token;
}

/** Called when the server no longer knows us. */
export function whenStranger(call: () => void): void {
  onStranger = call;
}

export async function ask<N extends RouteName>(asked: Ask<N>, signal?: AbortSignal): Promise<Answer<N>> {
  const [method = "GET"] = asked.route.split(" ");
  const headers: Record<string, string> = { accept: "application/json" };
  if (asked.body !== undefined) headers["content-type"] = "application/json";
  if (csrf !== null && method !== "GET") headers["x-leadhand-csrf"] = csrf;
  const request: RequestInit = { method, headers, credentials: "same-origin" };
  if (asked.body !== undefined) request.body = JSON.stringify(asked.body);
  if (signal) request.signal = signal;
  const answer = await reach(asked, urlOf(asked), request);
  if (answer.status === 204) return undefined as Answer<N>;
  return (hasPayload(asked.route) ? parseExactly(await answer.text()) : await answer.json()) as Answer<N>;
}

/** What people sent is not ours to round. Schemas are: they are for counting. */
function hasPayload(route: RouteName): boolean {
  return route === "GET /tasks/{task_id}";
}

/** Whatever it answers, be it JSON or not; parameters that the route does not name come beside it. */
export function askAnything<N extends RouteName>(asked: Ask<N>, search: URLSearchParams): Promise<Response> {
  return reach(asked, `${urlOf(asked)}?${search}`, { credentials: "same-origin" });
}

async function reach<N extends RouteName>({ route }: Ask<N>, url: string, request: RequestInit): Promise<Response> {
  const answer = await fetch(url, request).catch((error: Error) => {
    if (error.name === "AbortError") throw error;
    const code = (request.method ?? "GET") === "GET" ? "out-of-reach" : "no-answer";
    throw new Refusal(0, code, "The server is out of reach");
  });
  if (answer.ok) return answer;
  const refusal = await refusalOf(answer);
  if (refusal.status === 401 && !route.endsWith(" /session")) onStranger();
  throw refusal;
}

export function urlOf<N extends RouteName>({ route, params, query }: Ask<N>): string {
  const path = route.slice(route.indexOf(" ") + 1);
  const filled = path.replace(/\{(\w+)(\+?)\}/g, (_, name: string, greedy: string) => {
    const value = String((params as Record<string, unknown> | undefined)?.[name] ?? "");
    return greedy ? value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined && value !== null && value !== "") search.set(key, String(value));
  }
  const said = search.toString();
  return apiUrl + filled + (said === "" ? "" : `?${said}`);
}

/** The same for a terminal. The token is not in it: it comes from the environment. */
export function curlOf<N extends RouteName>(asked: Ask<N>): string {
  const [method = "GET"] = asked.route.split(" ");
  const parts = ["curl -sS"];
  if (method !== "GET") parts.push(`-X ${method}`);
  parts.push(`-H "Authorization: Bearer $LEADHAND_TOKEN"`);
  if (asked.body !== undefined) {
    parts.push(`-H 'Content-Type: application/json' -d ${shellText(JSON.stringify(asked.body))}`);
  }
  parts.push(shellText(urlOf(asked)));
  return parts.join(" ");
}

export function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
