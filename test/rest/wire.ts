// HTTP/1.1 by hand, over one connection that is kept: for requests that no client would send, and for very many of them.

import { connect, type Socket } from "node:net";

export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Wire {
  /** Sends these bytes and answers the next reply; null where the server hangs up without one. One at a time. */
  ask(bytes: string | Uint8Array): Promise<WireReply | null>;
  write(bytes: string | Uint8Array): void;
  /** Resolves when either side has hung up. */
  readonly closed: Promise<void>;
  readonly isOpen: boolean;
  hangUp(): void;
}

export async function wire(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return wireOn(socket);
}

function wireOn(socket: Socket): Wire {
  let heard: Buffer = Buffer.alloc(0);
  let waiting: ((reply: WireReply | null) => void) | null = null;
  let isOpen = true;
  /** The answer to HEAD has the length of a body, and none. */
  let isHead = false;

  function settle(reply: WireReply | null): void {
    const resolve = waiting;
    waiting = null;
    resolve?.(reply);
  }

  function look(): void {
    if (waiting === null) return;
    const found = replyIn(heard, isHead);
    if (found === null) return;
    heard = heard.subarray(found.end);
    if (found.isEndless) socket.destroy();
    settle(found.reply);
  }

  const closed = new Promise<void>((resolve) => {
    socket.on("close", () => {
      isOpen = false;
      settle(null);
      resolve();
    });
  });
  // A connection that is cut while we write is what some tests are about.
  socket.on("error", () => undefined);
  socket.on("data", (chunk: Buffer) => {
    heard = heard.length === 0 ? chunk : Buffer.concat([heard, chunk]);
    look();
  });

  return {
    ask(bytes) {
      if (!isOpen) return Promise.resolve(null);
      return new Promise((resolve) => {
        waiting = resolve;
        isHead = Buffer.from(bytes as string).toString("latin1", 0, 5) === "HEAD ";
        socket.write(bytes);
        look();
      });
    },
    write: (bytes) => void socket.write(bytes),
    closed,
    get isOpen() {
      return isOpen && !socket.destroyed;
    },
    hangUp: () => void socket.destroy(),
  };
}

interface Found {
  readonly reply: WireReply;
  readonly end: number;
  readonly isEndless: boolean;
}

/** The first whole reply; of one that need not end, what has come of it. */
function replyIn(bytes: Buffer, isHead: boolean): Found | null {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const [first = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const status = Number(first.slice(9, 12));
  const start = headEnd + 4;
  if (headers["transfer-encoding"] === "chunked") {
    const text = bytes.toString("utf8", start);
    const isEndless = !text.endsWith("0\r\n\r\n");
    if (text.length < 8) return null;
    return { reply: { status, headers, text }, end: bytes.length, isEndless };
  }
  const end = isHead ? start : start + Number(headers["content-length"] ?? 0);
  if (bytes.length < end) return null;
  return { reply: { status, headers, text: bytes.toString("utf8", start, end) }, end, isEndless: false };
}

export interface RequestWords {
  readonly method: string;
  /** As it is to stand in the first line. */
  readonly target: string;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The bytes of an ordinary request. */
export function requestBytes({ method, target, token, headers = {}, body }: RequestWords): Buffer {
  const content = body === undefined ? null : Buffer.from(body as string);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "host: leadhand",
    ...(token == null ? [] : [`authorization: Bearer ${token}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(content === null ? [] : [`content-length: ${content.length}`]),
  ];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return content === null ? head : Buffer.concat([head, content]);
}
