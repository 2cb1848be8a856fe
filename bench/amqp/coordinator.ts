// A coordinator that waits for messages, and what became of it.

import { type BenchServer, expect, room } from "../rest/bench-server.ts";
import { waitHeader } from "../rest/crowd.ts";

const category = "operations";
const name = "coordinate";

/** Its id. It waits for so many messages, which others send. */
export async function deferred(server: BenchServer, total: number): Promise<string> {
  const connection = await server.connect();
  const ask = async (method: string, path: string, body: object): Promise<Answer> =>
    JSON.parse(expect(await connection.ask(server.request(method, `/v1${path}`, body)), 200, 201, 202)) as Answer;
  const { id: worker_id } = await ask("POST", "/workers", {});
  await ask("PUT", `/rooms/${room}/jobs`, { category, name, schema: {}, worker_id });
  await ask("POST", `/rooms/${room}/tasks/${room}:${category}:${name}`, { payload: {} });
  const { task } = await ask("POST", "/tasks/claim", { worker_id, start: true });
  await ask("POST", `/tasks/${task.id}/defer`, { total, attempt: 1 });
  connection.close();
  return task.id;
}

interface Answer {
  readonly id: string;
  readonly task: { readonly id: string };
}

/** Resolves when it has ended with exactly so many; all of them done. */
export async function exact(server: BenchServer, id: string, total: number): Promise<void> {
  const connection = await server.connect();
  const body = expect(await connection.ask(server.request("GET", `/v1/tasks/${id}`, "", waitHeader)), 200);
  connection.close();
  const { status, children } = JSON.parse(body) as {
    status: string;
    children: { total: number; done: number; failed: number };
  };
  const { done, failed } = children;
  if (status === "completed" && done === total && failed === 0 && children.total === total) return;
  throw new Error(`${done} of ${total} were counted, ${failed} as failed, and the coordinator is ${status}`);
}
