// A real HTTP server that tasks are pushed to, and that answers as a test tells it.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every shape.
  readonly body: any;
  /** Whether the sender hung up before it was answered. */
  gone: boolean;
}

export interface Target {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Those that ask for this path. */
  at(path: string): Received[];
  /** How requests for this path are answered from now on. */
  answers(path: string, answer: (reply: ServerResponse, request: Received) => void): void;
}

export async function target(): Promise<Target> {
  const received: Received[] = [];
  const rules = new Map<string, (reply: ServerResponse, request: Received) => void>();
  const serving = createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const path = request.url ?? "";
    const seen: Received = { path, headers: request.headers, text, body: JSON.parse(text), gone: false };
    reply.once("close", () => {
      if (!reply.writableFinished) seen.gone = true;
    });
    received.push(seen);
    const answer = rules.get(path);
    if (answer === undefined) reply.end("{}");
    else answer(reply, seen);
  });
  await new Promise<void>((resolve) => serving.listen(0, "127.0.0.1", resolve));
  after(() => {
    serving.closeAllConnections();
    serving.close();
  });
  const { port } = serving.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}`, port, received },
    at: (path) => received.filter((each) => each.path === path),
    answers: (path, answer) => void rules.set(path, answer),
  };
}

export function sends(status: number, body = "", headers: Record<string, string> = {}) {
  return (reply: ServerResponse): void => void reply.writeHead(status, headers).end(body);
}

/** So many at a time are answered together, a moment after the last came: time for one more, which must not come. */
export function inGroups(size: number) {
  let waiting: ServerResponse[] = [];
  let most = 0;
  return {
    most: () => most,
    answer(reply: ServerResponse): void {
      waiting.push(reply);
      most = Math.max(most, waiting.length);
      if (waiting.length !== size) return;
      setTimeout(() => {
        const answered = waiting;
        waiting = [];
        for (const each of answered) each.end("{}");
      }, 50);
    },
  };
}
