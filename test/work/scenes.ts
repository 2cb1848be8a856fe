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

/** What a scene is played on. Steps that need jobs are the stage's. */
export interface Stage {
  connect(): Promise<Client>;
  /** Time passes, where it does not by itself. */
  pass(ms: number): void;
}

export async function play({ name, steps }: Scene, stage: Stage): Promise<void> {
  const client = await stage.connect();
  const known = new Map<string, unknown>();
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

  for (const step of steps) {
    if ("send" in step) client.send(filled(step.send, known));
    else if ("sendText" in step) client.send(step.sendText);
    else if ("sendBinary" in step) client.ws.send(Buffer.from(step.sendBinary, "hex"));
    else if ("sendRepeated" in step) client.send(step.sendRepeated.text.repeat(step.sendRepeated.times));
    else if ("expect" in step) {
      const message = await next(step.expect.type === "beat");
      if (!contains(message, step.expect, known)) {
        throw new Error(`${name}: ${JSON.stringify(message)} does not contain ${JSON.stringify(step.expect)}`);
      }
    } else if ("close" in step) {
      if (step.close === 4408) stage.pass(5_000);
      const code = await client.ends();
      if (code !== step.close) throw new Error(`${name}: closed with ${code}, not ${step.close}`);
    } else throw new Error(`${name}: ${JSON.stringify(step)} is not known`);
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
