// A process that the bench started: it is told what to do, says what happens, and ends when it is let go.

import { fork } from "node:child_process";
import { once } from "node:events";

export interface Child {
  /** What it says next, which has to be of this kind. Rejects when it ends instead, or says nothing for too long. */
  next<M extends { readonly kind: string }>(kind: M["kind"]): Promise<M>;
  /** Returns when it has ended. */
  stop(): Promise<void>;
}

interface Said {
  readonly kind: string;
}

/** Longer than a server that is being restarted is away. */
const silenceMsMax = 60_000;
const goodbyeMs = 5_000;

/** The file beside this one, as it is in src/ and as it is built. */
export function startChild(name: "server" | "worker", words: object, signal: AbortSignal): Child {
  const file = new URL(`./${name}-process${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);
  const child = fork(file, { stdio: ["ignore", "ignore", "inherit", "ipc"], serialization: "advanced" });
  const ended = once(child, "exit");
  const said: Said[] = [];
  let heard = Promise.withResolvers<void>();
  child.on("message", (message) => {
    said.push(message as Said);
    heard.resolve();
  });
  const gone = ended.then(([code, by]) => {
    throw new Error(`The ${name} ended with ${code ?? by}`);
  });
  // Only news for whoever waits for a word.
  gone.catch(() => {});
  const stopped = aborted(signal);
  stopped.catch(() => {});
  child.send(words);

  async function first(): Promise<Said> {
    while (said.length === 0) {
      heard = Promise.withResolvers<void>();
      const { promise, reject } = Promise.withResolvers<never>();
      const patience = setTimeout(
        () => reject(new Error(`The ${name} said nothing for ${silenceMsMax / 1_000} s`)),
        silenceMsMax,
      );
      await Promise.race([heard.promise, gone, stopped, promise]).finally(() => clearTimeout(patience));
    }
    return said.shift() as Said;
  }

  return {
    async next<M extends Said>(kind: M["kind"]) {
      const message = await first();
      if (message.kind !== kind) throw new Error(`The ${name} said ${message.kind} instead of ${kind}`);
      return message as M;
    },
    async stop() {
      const tooLong = setTimeout(() => child.kill("SIGKILL"), goodbyeMs);
      if (child.connected) child.disconnect();
      await ended;
      clearTimeout(tooLong);
    },
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
