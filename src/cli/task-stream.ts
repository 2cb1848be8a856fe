// A task whenever it moves, until it is final. A connection that breaks is made anew: the first event of each tells the
// task as it is, so nothing is missed but states in between.

import { type ProblemDocument, ServerProblem, ServerUnreachable } from "../sdk/problem.ts";
import { isFinal, type TaskAnswer } from "./answers.ts";
import type { Asking } from "./asking-command.ts";
import { serverEvents } from "./event-stream.ts";
import { patience } from "./patience.ts";

export interface TaskNews {
  readonly task: TaskAnswer;
  /** As the server sent it. */
  readonly text: string;
}

/** Between two signs of life, of which the server gives one every 15 seconds. */
const silenceMs = 45_000;

export async function* taskStream(asking: Asking, id: string): AsyncGenerator<TaskNews> {
  const patient = patience(asking);
  for (;;) {
    let fault: unknown = new ServerUnreachable("The stream ended before the task did");
    try {
      for await (const news of oneConnection(asking, id)) {
        patient.restore();
        yield news;
        if (isFinal(news.task)) return;
      }
    } catch (error) {
      fault = error;
    }
    await patient.after(fault);
  }
}

async function* oneConnection({ server, signal }: Asking, id: string): AsyncGenerator<TaskNews> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new ServerUnreachable("The server has fallen silent")), silenceMs);
  const either = AbortSignal.any([signal, silence.signal]);
  try {
    const body = await opened(server, id, either);
    for await (const event of serverEvents(body)) {
      timer.refresh();
      if (event !== "still" && event.event === "task") {
        yield { task: JSON.parse(event.data) as TaskAnswer, text: event.data };
      }
    }
  } catch (error) {
    either.throwIfAborted();
    if (error instanceof TypeError) throw new ServerUnreachable(`${server.url} was not answered`, { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function opened({ url, token }: Asking["server"], id: string, signal: AbortSignal) {
  const headers = { accept: "text/event-stream", ...(token !== null && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(`${url}/v1/tasks/${id}/stream`, { headers, signal });
  if (answer.status === 200 && answer.body !== null) return answer.body;
  const document = (await answer.json().catch(() => ({}))) as Partial<ProblemDocument>;
  throw new ServerProblem({ type: "unknown", title: `HTTP ${answer.status}`, ...document, status: answer.status });
}
