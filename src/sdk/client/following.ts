// Following a task: its moves as they happen, its log as it grows. A connection that breaks is made again.

import type { SteadyApi } from "../steady-api.ts";
import { eventsOf } from "./event-stream.ts";
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
  for (;;) {
    for await (const { key, task } of streamed(parts, id, signal)) {
      if (key === seen) continue;
      seen = key;
      yield task;
      if (isFinal(task)) return;
    }
    // The server ended, or the wire broke. Asking once shows whether it is back, and whether the task is over; the short
    // wait is the pace where the one is answered and the other never is.
    const ask = { headers: { prefer: "wait=1" }, ...(signal && { signal }) };
    const { body } = await parts.api.request<TaskView>("GET", `/tasks/${id}`, ask);
    if (!isFinal(body)) continue;
    yield body;
    return;
  }
}

async function* streamed({ url, headers }: FollowParts, id: string, signal: AbortSignal | undefined) {
  try {
    const ask = { headers: await headers(), ...(signal && { signal }) };
    const answer = await fetch(`${url}/v1/tasks/${id}/stream`, ask);
    // What is wrong is said by the plain request that follows.
    if (answer.status !== 200 || answer.body === null) {
      await answer.body?.cancel();
      return;
    }
    for await (const { id: version, event, data } of eventsOf(answer.body)) {
      if (event === "task") yield { key: version ?? data, task: JSON.parse(data) as TaskView };
    }
  } catch (error) {
    signal?.throwIfAborted();
    // That is how `fetch` says that a connection was refused, or broke.
    if (!(error instanceof TypeError)) throw error;
  }
}

/** The lines so far; with `follow` also those to come, until the task is final. */
export async function* logs(
  { api }: FollowParts,
  id: string,
  { follow = false, signal }: FollowOptions & { readonly follow?: boolean },
): AsyncGenerator<LogLine> {
  let told = 0;
  for (let over = false; ; ) {
    for await (const line of pages<LogLine>(api, `/tasks/${id}/logs`, { offset: told, ...(signal && { signal }) })) {
      told += 1;
      yield line;
    }
    if (over || !follow) return;
    // Lines wake nobody; a short wait for the end is the pace at which they are asked for.
    const ask = { headers: { prefer: "wait=1" }, ...(signal && { signal }) };
    over = isFinal((await api.request<TaskView>("GET", `/tasks/${id}`, ask)).body);
  }
}
