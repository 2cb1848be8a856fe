// A request whose body arrives in two parts, as over a slow line.

import { once } from "node:events";
import { connect } from "node:net";

export interface SlowRequest {
  /** Sends the rest; answers everything that was heard until the connection ended. */
  finish(): Promise<string>;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
}

export interface SlowPost {
  readonly url: string;
  readonly token: string;
  /** Below /v1. */
  readonly path: string;
  readonly body: string;
}

/** Everything but the second half of the body is on its way. */
export async function slowPost({ url, token, path, body }: SlowPost): Promise<SlowRequest> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  let heard = "";
  socket.setEncoding("utf8").on("data", (text: string) => (heard += text));
  // However it ends, it ends.
  socket.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const head = [`POST /v1${path} HTTP/1.1`, `Host: ${hostname}`, `Authorization: Bearer ${token}`];
  const half = Math.floor(body.length / 2);
  socket.write(`${head.join("\r\n")}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, half)}`);
  return {
    ended,
    async finish() {
      socket.write(body.slice(half));
      await ended;
      return heard;
    },
  };
}
