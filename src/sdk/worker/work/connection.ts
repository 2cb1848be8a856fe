// One connection to `/work`, from the upgrade to its end. It carries text; what is said is the business of others.

import { WebSocket } from "ws";
import type { ServerMessage } from "../../../protocol/work/frames.ts";
import { wordsOf } from "../../failure.ts";

export interface Connection {
  send(text: string): void;
  /** How much waits to be written. */
  waitingBytes(): number;
  /** From now on the server is taken for gone when nothing was heard for so long. */
  expectWithin(ms: number): void;
  /** Resolves when the server has heard all that was sent, and what it said before has come; or when it is no use. */
  settled(): Promise<void>;
  /** In good order; `onEnd` is told when it is done. */
  close(code: number): void;
  /** At once. */
  cut(why: string): void;
}

export type ConnectionEnd =
  | { readonly type: "closed"; readonly code: number; readonly reason: string }
  /** The upgrade was answered, but not with 101. */
  | { readonly type: "refused"; readonly status: number }
  | { readonly type: "failed"; readonly why: string };

export interface ConnectionParts {
  /** Of the server, as in http://127.0.0.1:7070. */
  readonly url: string;
  readonly token: string;
  onOpen(): void;
  onMessage(message: ServerMessage): void;
  /** All messages of one frame were told. */
  onFrame(): void;
  /** Once, whatever happens. */
  onEnd(end: ConnectionEnd): void;
}

const handshakeMs = 5_000;
/** A frame full of assignments, and then some. */
const frameBytesMax = 64 * 1_048_576;
/** Before the server has said how long it may be silent. */
const silenceMs = 5_000;
const silentTicks = 5;
const closingMs = 2_000;
const settlingMs = 1_000;
/** What the server had said in the same moment may come right after its answer. */
const crossingMs = 20;

export function connect({ url, token, onOpen, onMessage, onFrame, onEnd }: ConnectionParts): Connection {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/work`, {
    headers: { authorization: `Bearer ${token}` },
    ...{ perMessageDeflate: false, handshakeTimeout: handshakeMs, maxPayload: frameBytesMax },
  });
  let silent = 0;
  let hasEnded = false;
  let watching: NodeJS.Timeout | undefined;

  /** Ticks are counted, and time is not measured: all in which the program was too busy to listen are one. */
  function expectWithin(ms: number): void {
    clearInterval(watching);
    watching = setInterval(() => {
      silent += 1;
      if (socket.readyState === WebSocket.OPEN && silent > silentTicks) {
        end({ type: "failed", why: `nothing was heard for ${ms} ms, not even a beat` });
      }
    }, ms / silentTicks);
  }

  function end(how: ConnectionEnd): void {
    if (hasEnded) return;
    hasEnded = true;
    clearInterval(watching);
    socket.terminate();
    onEnd(how);
  }

  function read(data: Buffer): void {
    silent = 0;
    if (hasEnded) return;
    let message: ServerMessage | null = null;
    try {
      message = JSON.parse(data.toString()) as ServerMessage | null;
    } catch (error) {
      end({ type: "failed", why: `the server sent what is no JSON: ${wordsOf(error)}` });
      return;
    }
    const all = message?.type === "batch" ? message.messages : [message];
    for (const each of all) if (each !== null && !hasEnded) onMessage(each as ServerMessage);
    onFrame();
  }

  socket.on("open", () => {
    silent = 0;
    onOpen();
  });
  socket.on("message", (data) => read(data as Buffer));
  socket.on("unexpected-response", (request, response) => {
    request.destroy();
    end({ type: "refused", status: response.statusCode ?? 0 });
  });
  socket.on("error", (error) => end({ type: "failed", why: wordsOf(error) }));
  socket.on("close", (code, reason) => end({ type: "closed", code, reason: reason.toString() }));

  expectWithin(silenceMs);
  return {
    expectWithin,
    send(text) {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    waitingBytes: () => socket.bufferedAmount,
    settled: () =>
      new Promise((resolve) => {
        const limit = setTimeout(resolve, settlingMs);
        socket.once("pong", () => {
          clearTimeout(limit);
          setTimeout(resolve, crossingMs);
        });
        if (socket.readyState === WebSocket.OPEN) socket.ping();
        else resolve();
      }),
    close(code) {
      socket.close(code);
      // A server that does not answer is not waited for.
      setTimeout(() => end({ type: "closed", code, reason: "" }), closingMs).unref();
    },
    cut: (why) => end({ type: "failed", why }),
  };
}
