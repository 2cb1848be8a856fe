// Signs of life for as long as the program is too busy to give them itself: a thread of its own beats over REST in place
// of the connection. It is there as soon as there is a task that could keep the program busy.

import { wordsOf } from "../../failure.ts";
import { type Heart, heart } from "../../heartbeat/heart.ts";
import type { WorkerLog } from "../options.ts";
import { bearer } from "../presence.ts";

export interface StandIn {
  /** There is a task, and this is the worker that has it. A sign of life is due in every so many milliseconds. */
  need(worker: string, token: string, gapMs: number): void;
  stop(): Promise<void>;
}

export interface StandInParts {
  readonly url: string;
  readonly log: WorkerLog;
  onCancel(task: string): void;
}

export function standIn({ url, log, onCancel }: StandInParts): StandIn {
  let beats: Heart | null = null;
  let standsFor = { worker: "", token: "" };

  function start(everyMs: number): Heart {
    const started = heart({
      ...{ url, everyMs, socket: false, onlyWhenBlocked: true },
      onWord(word) {
        // What else it hears, the connection hears too.
        if (word.type === "beaten" && word.worker === standsFor.worker) for (const task of word.cancel) onCancel(task);
      },
      onDeath(error) {
        log.warn("nobody beats while the program is busy", { why: wordsOf(error) });
        beats = null;
        standsFor = { worker: "", token: "" };
      },
    });
    return started;
  }

  return {
    need(worker, token, gapMs) {
      if (standsFor.worker === worker && standsFor.token === token) return;
      beats ??= start(gapMs);
      beats.start(worker, [], bearer(token));
      standsFor = { worker, token };
    },
    async stop() {
      await beats?.stop();
      beats = null;
    },
  };
}
