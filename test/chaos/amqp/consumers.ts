// Consumers as processes of their own, each behind gates of its own that outlive it: hired, killed at an exact moment, replaced.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../../src/testing/until.ts";
import { compiled, temporaryFolder } from "../../leadhand-process.ts";
import { type FrameGate, frameGate } from "./frame-gate.ts";
import { type RequestGate, requestGate } from "./request-gate.ts";
import type { Orders, Said } from "./words.ts";

export interface Consumer {
  readonly orders: Omit<Orders, "url" | "amqpUrl" | "token">;
  readonly frames: FrameGate;
  readonly requests: RequestGate;
  /** Of all the processes that it was. */
  err(): string;
  /** Of the last of them alone. */
  lastErr(): string;
  /** Of the process that runs now. */
  pid(): number;
  start(): void;
  ready(): Promise<void>;
  kill(): Promise<void>;
  /** It does nothing until it is told to go on. */
  freeze(): void;
  goOn(): void;
  /** SIGTERM; answers how it ended. */
  stop(): Promise<number | NodeJS.Signals>;
}

/** What one of them said, and which process it was. */
export interface Heard extends Said {
  readonly by: number;
}

export interface Consumers {
  readonly all: readonly Consumer[];
  /** What operations were begun, by whom and of whom. */
  readonly said: readonly Heard[];
  /** Who ended without being told to. */
  readonly faults: string[];
}

export interface ConsumersOptions {
  readonly url: string;
  readonly token: string;
  readonly brokerPort: number;
}

const program = fileURLToPath(new URL("./consumer.ts", import.meta.url));
const readyWithinMs = 60_000;

export async function consumers(
  wanted: readonly Consumer["orders"][],
  { url, token, brokerPort }: ConsumersOptions,
): Promise<Consumers> {
  const said: Heard[] = [];
  const faults: string[] = [];
  const cache = compiled ?? (await temporaryFolder());
  const children = new Set<ChildProcess>();
  after(() => {
    for (const child of children) child.kill("SIGKILL");
  });

  async function hire(orders: Consumer["orders"]): Promise<Consumer> {
    const [frames, requests] = await Promise.all([frameGate(brokerPort), requestGate(url)]);
    const all: Orders = { ...orders, url: requests.url, amqpUrl: frames.url, token };
    let child: ChildProcess | null = null;
    let [before, err] = ["", ""];

    function start(): void {
      const mine = spawn(process.execPath, [program, JSON.stringify(all)], {
        env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: cache },
        stdio: ["ignore", "pipe", "pipe"],
      });
      [child, before, err] = [mine, before + err, ""];
      children.add(mine);
      listen(mine, (word) => said.push({ ...word, by: mine.pid as number }));
      mine.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
      mine.once("close", (code, signal) => {
        children.delete(mine);
        // Whoever is told to end is not the one of the moment any more.
        if (child === mine) faults.push(`${orders.name} ended by itself: ${code ?? signal} ${err.slice(-2_000)}`);
      });
    }

    async function end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
      const mine = child;
      if (mine === null) return 0;
      child = null;
      const closed = once(mine, "close");
      mine.kill(signal);
      const [code, by] = await closed;
      return code ?? by;
    }

    start();
    return {
      ...{ orders, frames, requests, start, err: () => before + err, lastErr: () => err },
      pid: () => child?.pid as number,
      ready: () =>
        until(`${orders.name} is ready`, () => err.includes("ready") || faults.length > 0, readyWithinMs).catch(
          (cause) => {
            throw new Error(err, { cause });
          },
        ),
      freeze: () => void child?.kill("SIGSTOP"),
      goOn: () => void child?.kill("SIGCONT"),
      kill: async () => void (await end("SIGKILL")),
      stop: () => end("SIGTERM"),
    };
  }

  return { all: await Promise.all(wanted.map(hire)), said, faults };
}

function listen({ stdout }: ChildProcess, hear: (word: Said) => void): void {
  let rest = "";
  stdout?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) hear(JSON.parse(line) as Said);
  });
}
