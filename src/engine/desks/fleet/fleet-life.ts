// The life of a worker of the fleet: it registers, pings, says goodbye, comes back, and is deleted in the end.

import { type Principal, requireSuperuser, requireWrite } from "../../../core/access.ts";
import { isGivenUp, lostDueAt, profileOf, type WorkerState, workerState } from "../../../core/liveness.ts";
import { Problem } from "../../../core/problem.ts";
import type { CommandRecord, WorkerRecord } from "../../../ports/records.ts";
import { auditEntry } from "../../audit-entry.ts";
import type { Operations } from "../../engine.ts";
import type { Surroundings } from "../../surroundings.ts";
import type { WorkerWords } from "../../worker-record.ts";
import type { Condition } from "../conditions.ts";
import type { WorkerDesk } from "../worker-desk.ts";
import { aboutOf, aboutText, type FleetAbout } from "./fleet-about.ts";
import type { FleetSight } from "./fleet-sight.ts";

export interface FleetStart extends Pick<WorkerWords, "name" | "hostname" | "os" | "queues" | "labels"> {
  /** One that it had before; null where it has none. */
  readonly uuid: string | null;
  readonly about: FleetAbout;
}

export interface FleetPing {
  readonly uuid: string;
  readonly lastPingAt: number;
  readonly cancel: readonly string[];
  /** What it was told to do and has not acknowledged; none where it never said that it understands it. */
  readonly commands: readonly CommandRecord[];
}

type SignOfLife = Omit<FleetPing, "commands">;

export interface FleetLife {
  register(who: Principal, start: FleetStart): Promise<WorkerRecord>;
  /** The condition is what it says of itself; null where it says nothing. */
  ping(who: Principal, uuid: string, condition: Condition | null): Promise<FleetPing>;
  unregister(who: Principal, uuid: string): Promise<WorkerRecord>;
  remove(who: Principal, uuid: string): Promise<void>;
  /** Deletes those that have been offline for as long as their profile keeps them, or all that are; answers their ids. */
  cleanup(who: Principal, which: "expired" | "offline", note: string | null): Promise<readonly string[]>;
}

export interface FleetLifeParts {
  readonly operations: Pick<Operations, "workers" | "losing" | "heardAt" | "lifeOf" | "writeBeats" | "catalog">;
  readonly workers: WorkerDesk;
  readonly sight: FleetSight;
}

export function fleetLife(around: Surroundings, { operations, workers, sight }: FleetLifeParts): FleetLife {
  const { store, clock, settings } = around;

  /** One of the caller's that is not deleted. */
  async function known(who: Principal, uuid: string | null): Promise<WorkerRecord | null> {
    if (uuid === null) return null;
    try {
      return await sight.owned(who, uuid);
    } catch (error) {
      if (error instanceof Problem && (error.status === 404 || error.code === "forbidden")) return null;
      throw error;
    }
  }

  /** Back under its own id, with the blocks it had. */
  async function alive(who: Principal, worker: WorkerRecord, condition: Condition | null): Promise<SignOfLife> {
    const { id } = worker;
    if (!isGivenUp(worker.session)) {
      try {
        const { seenAt, cancel } = await workers.beat(who, id, condition);
        // Where the record says otherwise, somebody may be about to act on it.
        if (workerState(worker.session, seenAt) !== "ONLINE") await operations.writeBeats();
        if (operations.lifeOf(id) !== null) return { uuid: id, lastPingAt: seenAt, cancel };
      } catch (error) {
        // It was given up in this moment.
        if (!(error instanceof Problem && error.code === "worker-not-found")) throw error;
      }
    }
    const { session } = await operations.workers.revive(id);
    return { uuid: id, lastPingAt: session.seenAt, cancel: [] };
  }

  function stateOf(worker: WorkerRecord, now: number): WorkerState {
    const seenAt = Math.max(worker.session.seenAt, operations.heardAt(worker.id) ?? 0);
    return workerState({ ...worker.session, seenAt }, now);
  }

  /** Workers of the servers themselves are nobody's to delete. */
  async function offline(before: (worker: WorkerRecord) => number): Promise<WorkerRecord[]> {
    const now = clock.now();
    const owned = [...operations.catalog.workers()].filter(({ owner }) => owner !== null);
    const found = await store.read("workers", { ids: owned.map(({ id }) => id) });
    return found.filter((worker) => stateOf(worker, now) === "OFFLINE" && offlineSince(worker) <= before(worker));
  }

  return {
    async register(who, { uuid, about, ...words }) {
      requireWrite(who);
      const before = await known(who, uuid);
      if (before === null) {
        const start = { ...words, about: aboutText({}, about), profile: "fleet", owner: who.user } as const;
        return operations.workers.register({ ...start, jobs: new Map() });
      }
      await alive(who, before, null);
      return operations.workers.change(before.id, { ...words, about: aboutText(aboutOf(before), about) });
    },
    async ping(who, uuid, condition) {
      const worker = await sight.owned(who, uuid);
      return { ...(await alive(who, worker, condition)), commands: await workers.commandsFor(worker) };
    },
    async unregister(who, uuid) {
      const worker = await sight.owned(who, uuid);
      await operations.losing.unregister(worker);
      return worker;
    },
    async remove(who, uuid) {
      await sight.seen(who, uuid, false);
      await workers.remove(who, uuid.toLowerCase());
    },
    async cleanup(who, which, note) {
      requireSuperuser(who);
      const now = clock.now();
      const fencedBy = ({ profile }: WorkerRecord): number =>
        which === "offline" ? now : now - profileOf(settings.profiles, profile).removedMs;
      const deleted: string[] = [];
      for (const worker of await offline(fencedBy)) {
        const act = { action: "worker.delete", kind: "worker", target: worker.id, note, data: { cleanup: which } };
        const how = { fencedBy: fencedBy(worker), audit: auditEntry(around, who, act) };
        const still = (seen: WorkerRecord, at: number): boolean => stateOf(seen, at) === "OFFLINE";
        if (await operations.losing.clear(worker, { ...how, still })) deleted.push(worker.id);
      }
      return deleted;
    },
  };
}

function offlineSince({ session }: WorkerRecord): number {
  return session.lostAt ?? lostDueAt(session);
}
