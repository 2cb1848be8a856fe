// Somebody who knows nothing but HTTP.

import assert from "node:assert/strict";

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
}

export type Method = "GET" | "PUT" | "POST" | "PATCH" | "DELETE";

export interface Caller {
  /** Below `/v1`; whatever the answer is. */
  send(method: Method, path: string, body?: unknown): Promise<Reply>;
  /** The body of an answer that is no refusal. */
  ask(method: Method, path: string, body?: unknown): Promise<Reply["body"]>;
}

export function callerAt(url: string, token: string): Caller {
  async function send(method: Method, path: string, body?: unknown): Promise<Reply> {
    const headers = { authorization: `Bearer ${token}` };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${url}/v1${path}`, init);
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
  }
  return {
    send,
    async ask(method, path, body) {
      const reply = await send(method, path, body);
      assert.ok(
        reply.status < 300,
        `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)?.slice(0, 1_000)}`,
      );
      return reply.body;
    },
  };
}
