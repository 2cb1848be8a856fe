// A proxy that takes WebSockets apart into frames, and loses or delays whole ones, which no TCP connection does but a
// faulty box in between may. What is not a WebSocket passes as it is.

import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { type RawData, WebSocket, WebSocketServer } from "ws";
import type { Chance } from "../chance.ts";

/** From the worker to the server, or back. */
export type Way = "up" | "down";

export interface FrameFaults {
  /** Which share of all frames is lost. */
  readonly loss?: number;
  /** How long each is held up, drawn between these; none overtakes another. */
  readonly delayMs?: readonly [number, number];
}

export interface FrameProxy {
  readonly url: string;
  readonly passed: number;
  readonly lost: number;
  /** From now on. */
  set(faults: FrameFaults): void;
  /** Connections that are there carry nothing this way any more, and nobody is told; new ones are good. */
  silence(...ways: Way[]): void;
  /** Whoever is connected is cut off, of which the server hears nothing; from now on it leads to another. */
  move(url: string): void;
  /** With which codes servers have closed connections. */
  readonly codes: readonly number[];
}

interface Pair {
  readonly near: WebSocket;
  readonly far: WebSocket;
  readonly silent: Set<Way>;
}

export async function frameProxy(first: string, when: Chance): Promise<FrameProxy> {
  let url = first;
  const codes: number[] = [];
  const pairs = new Set<Pair>();
  let faults: FrameFaults = {};
  let [passed, lost] = [0, 0];

  const server = createServer((asked, answer) => {
    const { method, headers } = asked;
    const onward = request(url + asked.url, { method, headers }, (said) => {
      answer.writeHead(said.statusCode ?? 0, said.headers);
      said.pipe(answer);
    });
    onward.on("error", () => asked.socket.destroy());
    answer.on("close", () => onward.destroy());
    asked.pipe(onward);
  });
  const front = new WebSocketServer({ server, perMessageDeflate: false });
  front.on("connection", (near, { headers, url: path = "" }) => {
    const { authorization = "" } = headers;
    const far = new WebSocket(`${url.replace(/^http/, "ws")}${path}`, {
      ...{ headers: { authorization }, perMessageDeflate: false },
    });
    const pair: Pair = { near, far, silent: new Set() };
    far.on("close", (code) => codes.push(code));
    pairs.add(pair);
    carry(pair, "up", near, far);
    carry(pair, "down", far, near);
  });

  function carry(pair: Pair, way: Way, from: WebSocket, to: WebSocket): void {
    const opened = new Promise<void>((resolve) => {
      if (to.readyState === WebSocket.OPEN) resolve();
      else to.once("open", () => resolve());
    });
    let last: Promise<unknown> = opened;

    function send(data: RawData, isBinary: boolean): void {
      if (pair.silent.has(way) || when.happens(faults.loss ?? 0)) lost += 1;
      else if (to.readyState === WebSocket.OPEN) {
        passed += 1;
        to.send(data, { binary: isBinary });
      }
    }

    from.on("message", (data, isBinary) => {
      const [least, most] = faults.delayMs ?? [0, 0];
      const due = most === 0 ? null : new Promise((resolve) => setTimeout(resolve, when.between(least, most)));
      last = last.then(() => due).then(() => send(data, isBinary));
    });
    from.on("error", () => from.terminate());
    from.on("close", (code, reason) => {
      pairs.delete(pair);
      // The other side does not hear of an end that went this way.
      if (pair.silent.has(way)) return;
      void last.then(() =>
        code < 3_000 && code !== 1_000 && code !== 1_001 ? to.terminate() : to.close(code, reason),
      );
    });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    for (const socket of front.clients) socket.terminate();
    for (const { far } of pairs) far.terminate();
    server.closeAllConnections();
    server.close();
  });

  return {
    codes,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get passed() {
      return passed;
    },
    get lost() {
      return lost;
    },
    set(next) {
      faults = next;
    },
    silence(...ways) {
      for (const pair of pairs) for (const way of ways) pair.silent.add(way);
    },
    move(next) {
      url = next;
      for (const { near, silent } of pairs) {
        silent.add("up");
        near.terminate();
      }
    },
  };
}
