// A task whenever it moves, and each line of its log, until it is final. A connection that breaks is made anew: the first
// event of each tells the task as it is, so nothing is missed but states in between, and lines go on where they ended.

import { serverEvents } from "../sdk/event-stream.ts";
import { type ProblemDocument, ServerProblem, ServerUnreachable } from "../sdk/problem.ts";
import { isFinal, type LogAnswer, type TaskAnswer } from "./answers.ts";
import type { Asking } from "./asking-command.ts";
import { patience } from "./patience.ts";

export interface TaskNews {
  readonly task: TaskAnswer;
  /** As the server sent it. */
  readonly text: string;
}

export type Story = { readonly news: TaskNews } | { readonly line: LogAnswer };

/** Between two signs of life, of which the server gives one every 15 seconds. */
const silenceMs = 45_000;

/** Lines and moves as they come; lines before the move that follows them. */
export async function* taskStory(asking: Asking, id: string): AsyncGenerator<Story> {
  const patient = patience(asking);
  let lines = 0;
  for (;;) {
    let fault: unknown = new ServerUnreachable("The stream ended before the task did");
    try {
      for await (const each of oneConnection(asking, id, lines)) {
        patient.restore();
        yield each;
        if ("line" in each) lines += 1;
        else if (isFinal(each.news.task)) return;
      }
    } catch (error) {
      fault = error;
    }
    await patient.after(fault);
  }
}

async function* oneConnection({ server, signal }: Asking, id: string, lines: number): AsyncGenerator<Story> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new ServerUnreachable("The server has fallen silent")), silenceMs);
  const either = AbortSignal.any([signal, silence.signal]);
  try {
    const body = await opened(server, `/tasks/${id}/stream?logs_from=${lines}`, either);
    for await (const event of serverEvents(body)) {
      timer.refresh();
      if (event === "still") continue;
      if (event.event === "task") yield { news: { task: JSON.parse(event.data) as TaskAnswer, text: event.data } };
      if (event.event === "log") yield { line: JSON.parse(event.data) as LogAnswer };
    }
  } catch (error) {
    either.throwIfAborted();
    if (error instanceof TypeError) throw new ServerUnreachable(`${server.url} was not answered`, { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function opened({ url, token }: Asking["server"], path: string, signal: AbortSignal) {
  const headers = { accept: "text/event-stream", ...(token !== null && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(`${url}/v1${path}`, { headers, signal });
  if (answer.status === 200 && answer.body !== null) return answer.body;
  const document = (await answer.json().catch(() => ({}))) as Partial<ProblemDocument>;
  throw new ServerProblem({ type: "unknown", title: `HTTP ${answer.status}`, ...document, status: answer.status });
}
