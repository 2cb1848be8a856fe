// A worker that shares no code with the SDK: its every frame is the test's.

import { after } from "node:test";
import { WebSocket } from "ws";
import { until } from "../../../src/testing/until.ts";
import { job } from "./stage.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
export type Message = any;

export interface PlainWorker {
  readonly ws: WebSocket;
  readonly heard: readonly Message[];
  /** Of its end; null while it is open. */
  readonly code: number | null;
  /** A heartbeat with this in it; the wish for more, less what was given since, holds. */
  beat(words?: object): void;
  hears(type: string, fits?: (message: Message) => boolean, limitMs?: number): Promise<Message>;
  ends(limitMs?: number): Promise<number>;
  assigned(): readonly Message[];
}

export const registration = { hostname: "plain", os: "any", specs: [{ id: job }], capabilities: { cancel: true } };

const open = new Set<WebSocket>();
after(() => {
  for (const ws of open) ws.terminate();
});

/** Connected; it has said nothing yet. */
export async function plainSocket(url: string, token: string): Promise<PlainWorker> {
  const ws = new WebSocket(`${url.replace(/^http/, "ws")}/work`, {
    ...{ headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false, handshakeTimeout: 10_000 },
  });
  open.add(ws);
  const heard: Message[] = [];
  let code: number | null = null;
  let [seq, ready, acked] = [0, 0, 0];
  ws.on("message", (data) => {
    const message = JSON.parse(data.toString());
    if (message.type === "assignment") {
      acked = message.seq;
      // What it has it no longer wishes for, also where the next heartbeat comes before the test has looked.
      ready = Math.max(0, ready - 1);
    }
    heard.push(message);
  });
  ws.on("error", () => undefined);
  ws.on("close", (ended) => {
    code = ended;
    open.delete(ws);
  });
  await new Promise((resolve, reject) => ws.once("open", resolve).once("error", reject));

  return {
    ...{ ws, heard },
    get code() {
      return code;
    },
    beat(words = {}) {
      seq += 1;
      const said = { type: "heartbeat", seq, ready, ackedAssignment: acked, ...words };
      ready = said.ready;
      if (ws.readyState === WebSocket.OPEN) ws.send(JSON.stringify(said));
    },
    async hears(type, fits = () => true, limitMs = 5_000) {
      const found = () => heard.find((message) => message.type === type && fits(message));
      await until(`${type} is heard`, () => found() !== undefined || code !== null, limitMs);
      if (found() === undefined) throw new Error(`Closed with ${code} before ${type}: ${JSON.stringify(heard)}`);
      return found();
    },
    async ends(limitMs = 5_000) {
      await until("the connection ends", () => code !== null, limitMs);
      return code as unknown as number;
    },
    assigned: () => heard.filter(({ type }) => type === "assignment"),
  };
}

/** Welcomed; it beats by itself. */
export async function plainWorker(
  url: string,
  token: string,
  { everyMs = 200, ...words }: { readonly everyMs?: number; readonly resume?: object } = {},
): Promise<PlainWorker & { readonly welcome: Message; rest(): void }> {
  const worker = await plainSocket(url, token);
  worker.beat({ registration: { ...registration, ...words } });
  const welcome = await worker.hears("welcome");
  const beating = setInterval(() => worker.beat(), everyMs);
  const rest = (): void => clearInterval(beating);
  after(rest);
  worker.ws.on("close", rest);
  return Object.defineProperties({ welcome, rest }, Object.getOwnPropertyDescriptors(worker)) as never;
}
