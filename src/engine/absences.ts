// Workers whose last connection is gone. A drop in the network is over in a moment, so they have a grace: any sign of
// life since the connection was last heard of, on any server, keeps the worker and what it holds. Without one the
// worker is lost, as if the sweep had found it silent. If this server ends meanwhile, the sweep will.

import type { WorkerRecord } from "../ports/records.ts";
import type { Beats } from "./beats.ts";
import type { Losing } from "./losing.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Absences {
  /** `since` is when the connection was last known to be good. */
  begin(worker: string, since: number): void;
  stop(): void;
}

/** Whoever waits for a sign of life of the worker listens here. */
export function awayTopic(worker: string): string {
  return `away:${worker}`;
}

/** On the worker's own topic: a server to which it is connected answers with a sign of life. */
export const whoKnows = "present?";

export interface AbsenceParts {
  readonly losing: Pick<Losing, "lose">;
  readonly beats: Pick<Beats, "heardAt">;
}

export function absences(around: Surroundings, { losing, beats }: AbsenceParts): Absences {
  const { store, bus, clock, log, settings } = around;
  const away = new Map<string, () => void>();

  function begin(worker: string, since: number): void {
    away.get(worker)?.();
    const { connectionGraceMs } = settings;
    const ask = (): void => bus.publish(`worker:${worker}`, whoKnows);
    const endings = [
      bus.subscribe(awayTopic(worker), end),
      // A server to which it came a moment ago may not have been known to listen when it was asked first.
      clock.alarm(clock.now() + connectionGraceMs / 2, ask),
      clock.alarm(clock.now() + connectionGraceMs, () => {
        end();
        giveUp(worker, since).catch((error) => log.warn("a worker that went away is left to the sweep", { error }));
      }),
    ];
    function end(): void {
      for (const each of endings) each();
      if (away.get(worker) === end) away.delete(worker);
    }
    away.set(worker, end);
    ask();
  }

  async function giveUp(id: string, since: number): Promise<void> {
    const silent = (worker: WorkerRecord): boolean =>
      Math.max(worker.session.seenAt, beats.heardAt(id) ?? 0) <= since && !away.has(id);
    const [worker] = await store.read("workers", { ids: [id] });
    if (worker === undefined || worker.session.removedAt !== null || !silent(worker)) return;
    await losing.lose(worker, silent);
  }

  return {
    begin,
    stop() {
      for (const end of [...away.values()]) end();
    },
  };
}
