// A process that a measurement needs beside the server: a worker, or a crowd of viewers. It is told what to do when it
// starts, says what happens in messages, and ends in good order when whoever started it lets go of it.

import { fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { tellProfiles } from "../cpu-profile.ts";
import type { SuiteName } from "../options.ts";
import { processCpuMs } from "../server-cpu.ts";

/** A file in bench/, without its ending. */
export type ActorName = `${SuiteName}/actors/${string}`;

export interface Actor {
  /** Of all its threads, since its start. */
  cpuMs(): number;
  tell(words: object): void;
  /** What it says next, which has to be of this kind; rejects when it ends instead. */
  next<M extends { readonly kind: string }>(kind: M["kind"]): Promise<M>;
  stop(): Promise<void>;
  /** As `kill -9` does. */
  kill(): Promise<void>;
}

interface Said {
  readonly kind: string;
}

/** Where `profiles` is a folder, the actor's profile is left beside it and told at its end. */
export function startActor(file: ActorName, words: object, profiles: string | null): Actor {
  const name = basename(file);
  const own = profiles === null ? null : `${profiles}-${name}`;
  if (own !== null) rmSync(own, { recursive: true, force: true });
  const child = fork(fileURLToPath(new URL(`../${file}.ts`, import.meta.url)), [JSON.stringify(words)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    execArgv: own === null ? [] : ["--cpu-prof", `--cpu-prof-dir=${own}`, "--cpu-prof-interval=200"],
  });
  const ended = once(child, "exit");
  const said: Said[] = [];
  let hear: (() => void) | null = null;
  child.on("message", (message) => {
    said.push(message as Said);
    hear?.();
  });
  const gone = ended.then(([code, signal]) => {
    throw new Error(`The ${name} ended with ${code ?? signal}`);
  });
  // Only news for whoever waits for a message.
  gone.catch(() => {});

  async function first(): Promise<Said> {
    while (said.length === 0) {
      const heard = new Promise<void>((resolve) => {
        hear = resolve;
      });
      await Promise.race([heard, gone]);
    }
    return said.shift() as Said;
  }

  return {
    cpuMs: () => processCpuMs(child.pid as number) ?? 0,
    tell: (message) => void child.send(message),
    async next<M extends Said>(kind: M["kind"]) {
      const message = await first();
      if (message.kind !== kind) throw new Error(`The ${name} said ${JSON.stringify(message)} instead of ${kind}`);
      return message as M;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
      if (own !== null) tellProfiles(`the ${name}`, own);
    },
  };
}
