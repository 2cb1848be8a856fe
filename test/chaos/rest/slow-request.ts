// A request whose body arrives in two parts, as over a slow line.

import { once } from "node:events";
import { connect } from "node:net";
import { until } from "../../../src/testing/until.ts";

export interface SlowRequest {
  /** Sends the rest; answers everything that was heard from then on until the connection ended. */
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

const goOn = /^HTTP\/1\.1 100 Continue\r\n\r\n/;

/** The server has its head, and said so; everything but the second half of the body is on its way. */
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
  head.push("Expect: 100-continue", `Content-Length: ${body.length}`);
  socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, half)}`);
  await until("the server goes on with it", () => goOn.test(heard), 20_000);
  return {
    ended,
    async finish() {
      socket.write(body.slice(half));
      await ended;
      return heard.replace(goOn, "");
    },
  };
}
