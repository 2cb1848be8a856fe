// Following a task: its moves as they happen, its log as it grows. A connection that breaks is made again.

import { serverEvents } from "../event-stream.ts";
import type { SteadyApi } from "../steady-api.ts";
import { pages } from "./pages.ts";
import { isFinal, type LogLine, type TaskView } from "./words.ts";

export interface FollowParts {
  readonly api: SteadyApi;
  /** The server's address, without a slash at its end. */
  readonly url: string;
  headers(): Promise<Readonly<Record<string, string>>>;
}

export interface FollowOptions {
  readonly signal?: AbortSignal;
}

/** The task as it is, then whenever it moved, until it is final. */
export async function* watch(parts: FollowParts, id: string, { signal }: FollowOptions): AsyncGenerator<TaskView> {
  let seen = "";
  for await (const each of story(parts, id, { signal, withLogs: false })) {
    if (!("task" in each) || each.version === seen) continue;
    seen = each.version;
    yield each.task;
  }
}

/** The lines so far; with `follow` also those to come, until the task is final. */
export async function* logs(
  parts: FollowParts,
  id: string,
  { follow = false, signal }: FollowOptions & { readonly follow?: boolean },
): AsyncGenerator<LogLine> {
  if (!follow) yield* pages<LogLine>(parts.api, `/tasks/${id}/logs`, signal && { signal });
  else for await (const each of story(parts, id, { signal, withLogs: true })) if ("line" in each) yield each.line;
}

type Story = { readonly task: TaskView; readonly version: string } | { readonly line: LogLine };

interface StoryWords {
  readonly signal: AbortSignal | undefined;
  readonly withLogs: boolean;
}

/** Moves, and lines before the moves that follow them, until the task is final; over as many connections as it takes. */
async function* story(parts: FollowParts, id: string, { signal, withLogs }: StoryWords): AsyncGenerator<Story> {
  let lines = 0;
  for (;;) {
    const query = withLogs ? `?logs_from=${lines}` : "";
    for await (const each of streamed(parts, `/tasks/${id}/stream${query}`, signal)) {
      yield each;
      if ("line" in each) lines += 1;
      else if (isFinal(each.task)) return;
    }
    // The server ended, or the wire broke. Asking once shows whether it is back, and whether the task is over; the short
    // wait is the pace where the one is answered and the other never is.
    const until = signal && { signal };
    const { body } = await parts.api.request<TaskView>("GET", `/tasks/${id}`, {
      headers: { prefer: "wait=1" },
      ...until,
    });
    if (!isFinal(body)) continue;
    const rest = withLogs ? pages<LogLine>(parts.api, `/tasks/${id}/logs`, { offset: lines, ...until }) : [];
    for await (const line of rest) yield { line };
    yield { task: body, version: "final" };
    return;
  }
}

async function* streamed(
  { url, headers }: FollowParts,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Story> {
  try {
    const ask = { headers: await headers(), ...(signal && { signal }) };
    const answer = await fetch(`${url}/v1${path}`, ask);
    // What is wrong is said by the plain request that follows.
    if (answer.status !== 200 || answer.body === null) {
      await answer.body?.cancel();
      return;
    }
    for await (const event of serverEvents(answer.body)) {
      if (event === "still") continue;
      if (event.event === "task") yield { task: JSON.parse(event.data) as TaskView, version: event.id ?? event.data };
      if (event.event === "log") yield { line: lineOf(event.data) };
    }
  } catch (error) {
    signal?.throwIfAborted();
    // That is how `fetch` says that a connection was refused, or broke.
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Without its number, as in the pages of a log. */
function lineOf(data: string): LogLine {
  const { number: _, ...line } = JSON.parse(data) as LogLine & { readonly number: number };
  return line;
}
