// Plays the scenes of docs/protocol/vectors/work/frames.json, as work.md says they are played.

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { until } from "../../src/testing/until.ts";
import type { Client, Message } from "./door-scene.ts";

export interface Scene {
  readonly name: string;
  readonly token: "user" | "viewer" | "wrong" | "none";
  readonly specs: readonly { readonly id: string; readonly schema: unknown }[];
  readonly steps: readonly Message[];
}

export const scenes = JSON.parse(
  readFileSync(new URL("../../docs/protocol/vectors/work/frames.json", import.meta.url), "utf8"),
) as readonly Scene[];

/** What a scene is played on. */
export interface Stage {
  connect(): Promise<Client>;
  /** Time passes, where it does not by itself. */
  pass(ms: number): void;
  readonly jobs?: {
    register(spec: { readonly id: string; readonly schema: unknown }): Promise<void>;
    /** Answers the job's id. */
    submit(what: { readonly spec: string; readonly payload: unknown; readonly queue?: string }): Promise<string>;
    cancel(id: string): Promise<void>;
    read(id: string): Promise<unknown>;
  };
}

export async function play({ name, specs, steps }: Scene, stage: Stage): Promise<void> {
  const jobs = stage.jobs as NonNullable<Stage["jobs"]>;
  for (const spec of specs) await jobs.register(spec);
  const known = new Map<string, unknown>();
  let client = await stage.connect();
  let read = 0;

  /** The next message that is a beat, or is none. */
  async function next(beat: boolean): Promise<Message> {
    for (;;) {
      await until(`a message for: ${name}`, () => {
        if (beat) stage.pass(100);
        return client.heard.length > read;
      });
      const message = client.heard[read];
      read += 1;
      if ((message.type === "beat") === beat) return message;
    }
  }

  function check(isSo: boolean, what: unknown, expected: unknown): void {
    if (!isSo) throw new Error(`${name}: ${JSON.stringify(what)} is not ${JSON.stringify(expected)}`);
  }

  const doings: Readonly<Record<string, (step: Message) => unknown>> = {
    send: (step) => client.send(filled(step.send, known)),
    sendText: (step) => client.send(step.sendText),
    sendBinary: (step) => client.ws.send(Buffer.from(step.sendBinary, "hex")),
    sendRepeated: ({ sendRepeated: { text, times } }) => client.send(text.repeat(times)),
    async expect(step) {
      const message = await next(step.expect.type === "beat");
      check(contains(message, step.expect, known), message, step.expect);
    },
    async expectAll(step) {
      const left = [...step.expectAll];
      while (left.length > 0) {
        const message = await next(false);
        const fits = left.findIndex((expected) => contains(message, expected, known));
        check(fits >= 0, message, left);
        left.splice(fits, 1);
      }
    },
    async silence() {
      const from = client.heard.length;
      const beats = () => client.heard.slice(from).filter(({ type }) => type === "beat").length;
      await until(`two beats for: ${name}`, () => beats() >= 2);
      const said = client.heard.slice(read).filter(({ type }) => type !== "beat");
      check(said.length === 0, said, "silence");
    },
    async close(step) {
      if (step.close === 4408) stage.pass(5_000);
      const code = await client.ends();
      check(code === step.close, code, step.close);
    },
    hangUp(step) {
      client.ws.close(step.hangUp);
      return client.ends();
    },
    async connect() {
      client = await stage.connect();
      read = 0;
    },
    submit: async (step) => known.set(step.as, await jobs.submit(step.submit)),
    cancel: (step) => jobs.cancel(filled(step.cancel, known)),
    register: (step) => jobs.register(step.register),
    async task(step) {
      const id = filled(step.task, known);
      await until(`${name}: ${JSON.stringify(step.is)}`, async () => contains(await jobs.read(id), step.is, known));
    },
  };

  for (const step of steps) {
    const doing = doings[Object.keys(step)[0] as string];
    if (doing === undefined) throw new Error(`${name}: ${JSON.stringify(step)} is not known`);
    await doing(step);
  }
  client.ws.close();
}

function filled(value: Message, known: ReadonlyMap<string, unknown>): Message {
  if (typeof value === "string") return known.has(value) ? known.get(value) : value;
  if (Array.isArray(value)) return value.map((item) => filled(item, known));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, known)]));
}

function contains(message: Message, expected: Message, known: Map<string, unknown>): boolean {
  if (typeof expected === "string" && expected.startsWith("$")) {
    if (!known.has(expected)) known.set(expected, message);
    return isDeepStrictEqual(known.get(expected), message);
  }
  if (typeof expected !== "object" || expected === null) return message === expected;
  if (typeof message !== "object" || message === null || Array.isArray(message) !== Array.isArray(expected))
    return false;
  if (Array.isArray(expected) && expected.length !== message.length) return false;
  return Object.entries(expected).every(([key, item]) => contains(message[key], item, known));
}
