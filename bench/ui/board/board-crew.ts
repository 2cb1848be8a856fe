// The fleet of the board. Its workers promise a sign of life once a month, so that nobody has to beat for a thousand of
// them while something else is measured; all else about them is as workers say it.

import { defaultProfiles, type ProfileName, type Session } from "../../../src/core/liveness.ts";
import { newWorker } from "../../../src/engine/worker-record.ts";
import type { WorkerRecord } from "../../../src/ports/records.ts";
import type { Store } from "../../../src/ports/store.ts";
import type { BenchSurroundings } from "../../surroundings.ts";
import { type BoardJob, boardChecksum, pools } from "./board-jobs.ts";
import type { Chance } from "./chance.ts";

const monthMs = 30 * 24 * 3_600_000;
const hourMs = 3_600_000;
const workersEach = 500;
const zones = ["north", "south", "east", "west"] as const;

export interface BoardWorker {
  readonly id: string;
  readonly name: string;
  readonly pool: number;
  /** Whether it may hold tasks: of a profile without deadlines of its own, and there. */
  readonly takes: boolean;
}

export async function makeBoardCrew(
  store: Store,
  { ids, clock }: BenchSurroundings,
  jobs: readonly BoardJob[],
  by: Chance,
  count: number,
): Promise<BoardWorker[]> {
  const now = clock.now();
  const records = Array.from({ length: count }, (_, nth) => boardWorker(nth, ids.next(), jobs, by, now));
  for (let from = 0; from < count; from += workersEach) {
    const workers = records.slice(from, from + workersEach);
    await store.amend({ workers: workers.map(({ id }) => id) }, () => ({ answer: null, workers }));
  }
  return records.map(({ id, name, profile, session }, nth) => ({
    id,
    name: name as string,
    pool: nth % pools,
    takes: profile === "work" && session.lostAt === null,
  }));
}

/** Of a hundred, eighty came by /work, fifteen by the fleet's door and five by REST; some of the fleet are not well. */
function boardWorker(nth: number, id: string, jobs: readonly BoardJob[], by: Chance, now: number): WorkerRecord {
  const place = nth % 100;
  const profile: ProfileName = place < 80 ? "work" : place < 95 ? "fleet" : "rest";
  const host = `${by.pick(zones)}-${String(Math.floor(nth / 8)).padStart(3, "0")}`;
  const own = jobs.filter(({ pool }) => pool === nth % pools).map(({ name }) => [name, boardChecksum] as const);
  const start = {
    id,
    profile,
    owner: "bench",
    name: `${host}-${nth % 8}`,
    hostname: host,
    os: "linux",
    about: JSON.stringify({ version: `2.${by.below(3)}.${by.below(9)}`, concurrency: 8 }),
    labels: { zone: host.split("-")[0] as string, gpu: nth % 4 === 0 ? "yes" : "no" },
    jobs: new Map(own),
    paused: place === 40,
    draining: place === 41,
  };
  const worker = newWorker(start, defaultProfiles, now - by.below(7 * 24) * hourMs);
  const condition = {
    cpuPercent: by.below(100),
    ramBytes: by.below(8_000) * 2 ** 20,
    loopLagMs: by.duration(4, 200),
    blockedMs: null,
  };
  return { ...worker, session: sessionOf(profile, place, now), status: JSON.stringify(condition) };
}

function sessionOf(profile: ProfileName, place: number, now: number): Session {
  const session: Session = {
    seenAt: now,
    unreachableMs: null,
    lostMs: monthMs,
    lostAt: null,
    removedAt: null,
    told: "ONLINE",
  };
  if (profile !== "fleet") return session;
  if (place === 90) return { ...session, seenAt: now - hourMs, lostAt: now - hourMs / 2 };
  const unreachable = place === 91;
  return {
    ...session,
    seenAt: unreachable ? now - hourMs : now,
    unreachableMs: unreachable ? hourMs / 30 : monthMs,
    told: unreachable ? "UNREACHABLE" : "ONLINE",
  };
}
