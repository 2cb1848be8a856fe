// Events of real tasks while the browser looks on: a process of its own has workers that claim, start and complete what
// it submits, at a steady pace, over REST.

import { startActor } from "../live/actor.ts";
import type { Ready } from "../live/work-words.ts";
import type { MeasureInput } from "../measure.ts";
import type { BenchServer } from "../rest/bench-server.ts";
import type { ServerAddress } from "../rest/server-calls.ts";

export interface LivesWords extends ServerAddress {
  readonly eventsPerSecond: number;
}

export interface Lived {
  readonly kind: "lived";
  /** Since the start. */
  readonly events: number;
}

export interface PageLoad {
  /** Events that have happened so far. */
  happened(): Promise<number>;
  stop(): Promise<void>;
}

/** Nothing happens where no events are asked for. */
export async function startLoad(
  server: BenchServer,
  eventsPerSecond: number,
  { profiles }: MeasureInput,
): Promise<PageLoad> {
  if (eventsPerSecond === 0) return { happened: async () => 0, stop: async () => {} };
  const words: LivesWords = { port: server.port, token: server.token, eventsPerSecond };
  const lives = startActor("ui/actors/lives", words, profiles);
  await lives.next<Ready>("ready");
  return {
    async happened() {
      lives.tell({});
      return (await lives.next<Lived>("lived")).events;
    },
    stop: () => lives.stop(),
  };
}
