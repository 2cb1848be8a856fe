// A server that plays its part of `/work` as a test tells it to, and keeps what it heard.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import Value from "typebox/value";
import { type WebSocket, WebSocketServer } from "ws";
import {
  type AssignedJob,
  Heartbeat,
  type ServerMessage,
  type ServerMessageType,
  type WorkResult,
} from "../../../src/protocol/work/frames.ts";
import { until } from "../../../src/testing/until.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every shape.
  readonly body: any;
}

export interface FakeServerOptions {
  /** Answers a request: a status, and a body. 200 with `{}` where it answers nothing. */
  answer?(asked: Asked): { readonly status: number; readonly body?: object } | undefined;
  /** Instead of the upgrade. */
  upgrade?(): number | null;
  /** Whether it says `beat` each second; true where absent. */
  readonly beats?: boolean;
  /** Whether it accepts every result; true where absent. */
  readonly acks?: boolean;
}

export interface FakeConnection {
  readonly heartbeats: Heartbeat[];
  readonly authorization: string;
  say<T extends ServerMessageType>(message: ServerMessage<T>): void;
  raw(text: string): void;
  /** All of them in one frame. */
  assign(...jobs: readonly AssignedJob[]): void;
  /** Waits for its registration, and welcomes it. */
  welcome(words?: Partial<ServerMessage<"welcome">>): Promise<Heartbeat>;
  ack(result: Pick<WorkResult, "jobId" | "attempt">, words?: Partial<ServerMessage<"resultAck">>): void;
  results(): readonly WorkResult[];
  /** Resolves when so many results were heard on this connection. */
  resulted(count: number): Promise<readonly WorkResult[]>;
  close(code: number): void;
  /** Its code; null while it is open. */
  closed: number | null;
}

export interface FakeServer {
  readonly url: string;
  readonly asked: readonly Asked[];
  readonly connections: readonly FakeConnection[];
  /** Resolves when there is this connection; the first is 1. */
  connection(nth: number): Promise<FakeConnection>;
  /** To be called when its workers have stopped: they wait for the answers to their last results. */
  close(): Promise<void>;
}

export async function fakeServer(options: FakeServerOptions = {}): Promise<FakeServer> {
  const { answer, upgrade } = options;
  const asked: Asked[] = [];
  const connections: FakeConnection[] = [];
  const sockets = new WebSocketServer({ noServer: true });
  const http = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const { method = "", url: path = "", headers } = request;
    const one = { method, path, headers, body: text === "" ? null : JSON.parse(text) };
    asked.push(one);
    const { status, body } = answer?.(one) ?? { status: 200 };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body ?? {}));
  });
  http.on("upgrade", (request, socket, head) => {
    const status = upgrade?.() ?? null;
    if (status !== null) return socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    return sockets.handleUpgrade(request, socket, head, (open) => {
      connections.push(fakeConnection(open, request.headers.authorization ?? "", options));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  async function close(): Promise<void> {
    for (const each of sockets.clients) each.terminate();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    ...{ asked, connections, close },
    async connection(nth) {
      await until(`connection ${nth}`, () => connections.length >= nth, 10_000);
      return connections[nth - 1] as FakeConnection;
    },
  };
}

function fakeConnection(
  socket: WebSocket,
  authorization: string,
  { beats = true, acks = true }: FakeServerOptions,
): FakeConnection {
  const heartbeats: Heartbeat[] = [];
  let seq = 0;
  let nonce = 0;
  const raw = (text: string): void => socket.send(text);
  const beating = setInterval(() => beats && raw(JSON.stringify({ type: "beat", nonce: ++nonce })), 1_000);
  const results = () => heartbeats.flatMap((each) => each.results ?? []);
  const connection: FakeConnection = {
    ...{ heartbeats, authorization, raw, results, closed: null },
    say: (message) => raw(JSON.stringify(message)),
    assign(...jobs) {
      const messages = jobs.map((job) => ({ type: "assignment", seq: ++seq, job }));
      raw(JSON.stringify(messages.length === 1 ? messages[0] : { type: "batch", messages }));
    },
    async welcome(words = {}) {
      await until("it registers", () => heartbeats.length > 0);
      const [first] = heartbeats;
      const specs = (first?.registration?.specs ?? []).map(({ id }) => ({ id, accepted: true }));
      connection.say<"welcome">({
        ...{
          type: "welcome",
          protocol: 1,
          workerId: randomUUID(),
          token: "resume-me",
          specs,
          resumed: false,
          lost: [],
        },
        ...{ heartbeatMaxGapMs: 1_000, lostAfterMs: 5_000, server: "fake", ...words },
      });
      return first as Heartbeat;
    },
    ack: ({ jobId, attempt }, words = {}) =>
      connection.say<"resultAck">({ type: "resultAck", jobId, attempt, accepted: true, ...words }),
    async resulted(count) {
      await until(`${count} results`, () => results().length >= count, 10_000);
      return results();
    },
    close: (code) => socket.close(code),
  };
  socket.on("message", (data) => {
    const heartbeat = JSON.parse(String(data));
    assert.ok(
      Value.Check(Heartbeat, heartbeat),
      `${String(data).slice(0, 500)} ${JSON.stringify(Value.Errors(Heartbeat, heartbeat))}`,
    );
    heartbeats.push(heartbeat);
    if (acks) for (const result of heartbeat.results ?? []) connection.ack(result);
  });
  socket.on("close", (code) => {
    clearInterval(beating);
    connection.closed = code;
  });
  return connection;
}

export function anAssignment(spec: string, words: Partial<AssignedJob> = {}): AssignedJob {
  const now = new Date().toISOString();
  return {
    ...{ id: randomUUID(), attempt: 1, spec: { id: spec, checksum: "sha256:0" }, queue: "default", parameters: {} },
    ...{ logs: { requested: true, level: "info" }, scheduledAt: now, assignedAt: now, meta: { room: "lab" } },
    ...words,
  };
}
