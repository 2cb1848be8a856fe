// A worker that speaks /work by hand and does nothing: every frame with assignments is answered with one heartbeat that
// carries their results. It keeps to the credit rule, so it never holds more than it asked for.

import WebSocket from "ws";
import { deepJob } from "../bench-catalog.ts";

export interface RawWorkerOptions {
  readonly url: string;
  readonly token: string;
  readonly concurrency: number;
  readonly prefetch: number;
  handle(task: string): unknown;
  /** So many results were acknowledged. */
  ended(tasks: number): void;
  /** It does not beat by itself: whoever has thousands of them does so in their place. */
  readonly beats?: false;
}

export interface RawWorker {
  /** It was welcomed. Rejects when it was turned away. */
  readonly ready: Promise<void>;
  readonly socket: WebSocket;
  beat(): void;
  close(): void;
}

interface ServerMessage {
  readonly type: string;
  readonly seq?: number;
  readonly job?: { readonly id: string; readonly attempt: number };
  readonly jobId?: string;
  readonly accepted?: boolean;
  readonly reason?: string;
  readonly nonce?: number;
  readonly specs?: readonly { readonly accepted: boolean; readonly reason?: string }[];
  readonly messages?: readonly ServerMessage[];
  readonly problem?: unknown;
}

interface Result {
  readonly jobId: string;
  readonly attempt: number;
  readonly outcome: "succeeded";
  readonly data: { readonly ok: true };
}

const beatMs = 1_000;

export function rawWorker(options: RawWorkerOptions): RawWorker {
  const { url, token, concurrency, prefetch, handle, ended } = options;
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/work`, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  });
  const results: Result[] = [];
  let [seq, ackedAssignment] = [0, 0];
  let echo: number | null = null;

  function send(more?: object): void {
    seq += 1;
    // What was answered in this frame is out of hand with it.
    const ready = concurrency + prefetch;
    const words = { ...(results.length > 0 && { results }), ...(echo !== null && { echo }), ...more };
    socket.send(JSON.stringify({ type: "heartbeat", seq, ready, ackedAssignment, ...words }));
    results.length = 0;
    echo = null;
  }

  function take(message: ServerMessage): number {
    switch (message.type) {
      case "assignment": {
        const { id: jobId, attempt } = message.job as { id: string; attempt: number };
        ackedAssignment = message.seq as number;
        handle(jobId);
        results.push({ jobId, attempt, outcome: "succeeded", data: { ok: true } });
        return 0;
      }
      case "resultAck":
        if (message.accepted !== true) throw new Error(`The result of ${message.jobId} was refused: ${message.reason}`);
        return 1;
      case "beat":
        echo = message.nonce ?? null;
        return 0;
      case "welcome":
        welcome(message);
        return 0;
      case "error":
        reject(new Error(`The server refused: ${JSON.stringify(message.problem)}`));
        return 0;
      case "batch":
        return (message.messages ?? []).reduce((sum, each) => sum + take(each), 0);
      default:
        return 0;
    }
  }

  function welcome({ specs = [] }: ServerMessage): void {
    const refused = specs.find(({ accepted }) => !accepted);
    if (refused === undefined) resolve();
    else reject(new Error(`The job was refused: ${refused.reason}`));
  }

  let timer: NodeJS.Timeout | undefined;
  socket.on("open", () => {
    send({ registration: registration(concurrency, prefetch) });
    if (options.beats !== false) timer = setInterval(() => send(), beatMs);
  });
  socket.on("message", (text: Buffer) => {
    const acknowledged = take(JSON.parse(text.toString()) as ServerMessage);
    if (results.length > 0 || echo !== null) send();
    if (acknowledged > 0) ended(acknowledged);
  });
  socket.on("close", (code) => {
    clearInterval(timer);
    reject(new Error(`The connection ended with ${code}`));
  });
  socket.on("error", reject);
  return { ready, socket, beat: () => send(), close: () => socket.close(1000) };
}

function registration(concurrency: number, prefetch: number): object {
  return {
    protocol: 1,
    hostname: "bench",
    os: process.platform,
    specs: [{ id: deepJob }],
    concurrency,
    prefetch,
    capabilities: { echo: true, batch: true, cancel: false },
  };
}
