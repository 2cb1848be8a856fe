// Workers whose last connection is gone. A drop in the network is over in a moment, so they have a grace: any sign of
// life since the connection was last heard of, on any server, keeps the worker and what it holds. Without one the
// worker is lost, as if the sweep had found it silent. If this server ends meanwhile, the sweep will.
//
// A connection that fell silent is noticed late, and the worker may have beaten since it was last heard there. That may
// have been a worker too busy for its connection, or the last that got through before the network failed. Its next beat
// tells: it has until that would be late.

import { profileOf } from "../core/liveness.ts";
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

/** Somebody waits for a sign of life of any worker. */
export const anyoneAway = "away";

/** On the worker's own topic: a server to which it is connected answers with a sign of life. */
export const whoKnows = "present?";

export interface AbsenceParts {
  readonly losing: Pick<Losing, "lose">;
  readonly beats: Pick<Beats, "heardAt">;
}

export function absences(around: Surroundings, { losing, beats }: AbsenceParts): Absences {
  const { store, bus, clock, log, settings } = around;
  const { connectionGraceMs } = settings;
  const away = new Map<string, () => void>();
  let stopped = false;

  function wait(worker: string, endsAt: number, giveUp: () => Promise<void>): void {
    away.get(worker)?.();
    const ask = (): void => bus.publish(`worker:${worker}`, whoKnows);
    const endings = [
      bus.subscribe(awayTopic(worker), end),
      bus.subscribe(anyoneAway, () => undefined),
      // A server to which it came a moment ago may not have been known to listen when it was asked first.
      clock.alarm(clock.now() + connectionGraceMs / 2, ask),
      clock.alarm(endsAt, () => {
        end();
        giveUp().catch((error) => log.warn("a worker that went away is left to the sweep", { error }));
      }),
    ];
    function end(): void {
      for (const each of endings) each();
      if (away.get(worker) === end) away.delete(worker);
    }
    away.set(worker, end);
    ask();
  }

  const seenAt = ({ id, session }: WorkerRecord): number => Math.max(session.seenAt, beats.heardAt(id) ?? 0);

  async function present(id: string): Promise<WorkerRecord | undefined> {
    const [worker] = await store.read("workers", { ids: [id] });
    return worker?.session.removedAt === null ? worker : undefined;
  }

  async function loseIfSilent(id: string, since: number): Promise<void> {
    const silent = (worker: WorkerRecord): boolean => seenAt(worker) <= since && !away.has(id);
    const worker = await present(id);
    if (worker !== undefined && silent(worker)) await losing.lose(worker, silent);
  }

  async function graceEnds(id: string, since: number): Promise<void> {
    const worker = await present(id);
    if (worker === undefined || away.has(id) || stopped) return;
    const heardAt = seenAt(worker);
    if (heardAt <= since) return loseIfSilent(id, since);
    const lateAt = heardAt + profileOf(settings.profiles, worker.profile).beatMs + connectionGraceMs;
    wait(id, lateAt, () => loseIfSilent(id, heardAt));
  }

  return {
    begin: (worker, since) => wait(worker, clock.now() + connectionGraceMs, () => graceEnds(worker, since)),
    stop() {
      stopped = true;
      for (const end of [...away.values()]) end();
    },
  };
}
