// What each of many viewers has heard, and when. All of them hear the same texts, so each text is read once.

import { percentile } from "../statistics.ts";
import type { HappenedEvent, Verdict } from "./view-words.ts";

export interface CrowdRecord {
  /** What the nth viewer has just been told. */
  hear(viewer: number, text: string, at: number): void;
  /** Over all viewers, without repetitions. */
  readonly heard: number;
  judge(events: readonly HappenedEvent[]): Omit<Verdict, "kind" | "cpuMs">;
}

interface StatusEvent {
  readonly id: string;
  readonly status: string;
  readonly version: number;
}

export function crowdRecord(viewers: number): CrowdRecord {
  /** Null for what is no news of a task. */
  const byText = new Map<string, StatusEvent | null>();
  const heardBy = Array.from({ length: viewers }, () => new Map<StatusEvent, number>());
  let heard = 0;

  function eventOf(text: string): StatusEvent | null {
    let event = byText.get(text);
    if (event === undefined) {
      const [name, data] = JSON.parse(text) as [string, StatusEvent];
      event = name === "task_status_event" ? data : null;
      byText.set(text, event);
    }
    return event;
  }

  return {
    hear(viewer, text, at) {
      const event = eventOf(text);
      if (event === null) return;
      const own = heardBy[viewer] as Map<StatusEvent, number>;
      if (own.has(event)) throw new Error(`A viewer was told twice: ${text}`);
      own.set(event, at);
      heard += 1;
    },
    get heard() {
      return heard;
    },
    judge(events) {
      const sentAt = new Map(events.map(({ task, status, sentAt }) => [`${task} ${status}`, sentAt]));
      const lastOf = new Map(events.map(({ task, status }) => [task, status]));
      const times = heardBy.flatMap((own) =>
        [...own].map(([{ id, status }, at]) => at - (sentAt.get(`${id} ${status}`) ?? Number.NaN)),
      );
      if (times.some(Number.isNaN)) throw new Error("A viewer was told what nobody did");
      return {
        missed: viewers * events.length - times.length,
        wrong: heardBy.reduce((sum, own) => sum + wrongEnds([...own.keys()], lastOf), 0),
        delivered: times.length,
        p50Ms: percentile(times, 0.5),
        p99Ms: percentile(times, 0.99),
        mostMs: times.reduce((most, ms) => Math.max(most, ms), 0),
      };
    },
  };
}

/** In the order in which they were heard. */
function wrongEnds(events: readonly StatusEvent[], lastOf: ReadonlyMap<string, string>): number {
  const last = new Map<string, StatusEvent>();
  for (const event of events) {
    if (event.version <= (last.get(event.id)?.version ?? 0)) throw new Error("A viewer was told old news after new");
    last.set(event.id, event);
  }
  return [...lastOf].filter(([task, status]) => last.get(task)?.status !== status).length;
}
