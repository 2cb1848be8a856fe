// A worker on /work as a stranger writes it: the WebSocket that Node brings along, JSON, and nothing of ours.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after } from "node:test";
import { until } from "../../src/testing/until.ts";
import type { RestScene } from "../rest/scene.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
export type Message = any;

export interface RawWorker {
  readonly heard: Message[];
  /** Of its connection; null while it is open. */
  readonly code: number | null;
  /** A heartbeat with these parts; it wants nothing unless it says so. */
  beat(about?: object): void;
  text(frame: string): void;
  /** Tells each message as it comes. */
  listen(listener: (message: Message) => void): void;
  /** Beats as often as the server wants it to, until it is told to stop or its connection ends. */
  keepBeating(about?: object): () => void;
  hears(type: string, fits?: (message: Message) => boolean): Promise<Message>;
  /** The job of the next assignment that it has not looked at yet. */
  takes(): Promise<Message>;
  /** Nothing but beats before the second beat from now. */
  hearsNothing(): Promise<void>;
  ends(limitMs?: number): Promise<number>;
  close(code?: number): void;
}

const open = new Set<WebSocket>();
after(() => {
  for (const socket of open) socket.close();
});

export async function connected(url: string, token: string | null, path = "/work"): Promise<RawWorker> {
  const protocols = ["leadhand.work.v1", ...(token === null ? [] : [`bearer.${token}`])];
  const socket = new WebSocket(url.replace("http", "ws") + path, protocols);
  open.add(socket);
  const heard: Message[] = [];
  let code: number | null = null;
  let [seq, taken] = [0, 0];
  let listener: (message: Message) => void = () => undefined;
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(String(data));
    for (const message of frame.type === "batch" ? frame.messages : [frame]) {
      heard.push(message);
      listener(message);
    }
  };
  socket.onclose = (event) => {
    code = event.code;
    open.delete(socket);
  };
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });

  function beat(about: object = {}): void {
    seq += 1;
    if (code === null) socket.send(JSON.stringify({ type: "heartbeat", seq, ready: 0, ...about }));
  }

  async function hears(type: string, fits: (message: Message) => boolean = () => true): Promise<Message> {
    const find = () => heard.find((message) => message.type === type && fits(message));
    await until(`${type} is heard`, () => find() !== undefined, 10_000);
    return find();
  }

  return {
    ...{ heard, beat, hears },
    get code() {
      return code;
    },
    text: (frame) => socket.send(frame),
    listen(to) {
      listener = to;
    },
    keepBeating(about = {}) {
      const { heartbeatMaxGapMs = 1_000 } = heard.find(({ type }) => type === "welcome") ?? {};
      const timer = setInterval(() => beat(about), heartbeatMaxGapMs / 2);
      timer.unref();
      return () => clearInterval(timer);
    },
    async takes() {
      taken += 1;
      const { job } = await hears("assignment", (message) => message.seq === taken);
      return job;
    },
    async hearsNothing() {
      const from = heard.length;
      const since = () => heard.slice(from);
      await until("two beats", () => since().filter(({ type }) => type === "beat").length >= 2, 10_000);
      assert.deepEqual(
        since().filter(({ type }) => type !== "beat"),
        [],
      );
    },
    async ends(limitMs = 10_000) {
      await until("the connection ends", () => code !== null, limitMs);
      return code as unknown as number;
    },
    close: (with_ = 1000) => socket.close(with_),
  };
}

/** Of a spec whose keys are already in order, and hold nothing but ASCII. */
export function checksumOf(schema: object): string {
  return `sha256:${createHash("sha256").update(JSON.stringify({ schema })).digest("hex")}`;
}

export const anything = { type: "object" };

/** What every first heartbeat says, and what else is given. */
export function registration(specs: readonly string[], about: object = {}): object {
  const known = specs.map((id) => ({ id, checksum: checksumOf(anything) }));
  return { hostname: "w-1", os: "linux", specs: known, ...about };
}

let named = 0;

/** A shop with specs of its own: no two tests meet. */
export async function shop(scene: RestScene) {
  const ada = await scene.caller("ada");

  function expecting<T extends { status: number; text: string; body: Message }>(status: number, reply: T): Message {
    assert.equal(reply.status, status, reply.text);
    return reply.body;
  }

  async function spec(about: object = {}): Promise<string> {
    named += 1;
    const id = `spec-${named}`;
    expecting(201, await scene.admin.put(`/specs/${id}`, { schema: anything, ...about }));
    return id;
  }

  return {
    ...{ ada, spec, expecting },
    connect: (token: string | null = ada.token, path?: string) => connected(scene.url, token, path),
    push: async (id: string, about: object) => expecting(200, await scene.admin.put(`/specs/${id}`, about)),
    async submit(id: string, words: object = {}): Promise<string> {
      return expecting(202, await ada.post(`/rooms/@global/tasks/@global:specs:${id}`, { payload: {}, ...words })).id;
    },
    async task(id: string): Promise<Message> {
      return expecting(200, await ada.get(`/tasks/${id}`));
    },
    async taskIs(id: string, status: string): Promise<Message> {
      await until(`${id} is ${status}`, async () => (await ada.get(`/tasks/${id}`)).body.status === status, 10_000);
      return expecting(200, await ada.get(`/tasks/${id}`));
    },
    async history(id: string): Promise<string[]> {
      return expecting(200, await ada.get(`/tasks/${id}/events`)).items.map(({ type }: Message) => type);
    },
    async worker(id: string): Promise<Message> {
      return expecting(200, await scene.admin.get(`/workers/${id}`));
    },
    async workerEvents(id: string): Promise<Message[]> {
      return expecting(200, await scene.admin.get(`/workers/${id}/events`)).items;
    },
    /** Let in with these specs, and heard by the server. */
    async hired(specs: readonly string[], beat: object = {}, about: object = {}) {
      const worker = await connected(scene.url, ada.token);
      worker.beat({ registration: registration(specs, about), ...beat });
      const welcome = await worker.hears("welcome");
      return { worker, welcome };
    },
  };
}

export const succeeded = ({ id, attempt }: Message, data?: unknown) => ({
  ...{ jobId: id, attempt, outcome: "succeeded" },
  ...(data !== undefined && { data }),
});
