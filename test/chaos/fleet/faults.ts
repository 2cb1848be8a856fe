// What goes wrong, one thing after the other, drawn from a deck so that each comes as often as the others.

import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../../src/testing/until.ts";
import type { Chance } from "../chance.ts";
import type { PrivatePostgres } from "../private-postgres.ts";
import type { Crew, CrewMember } from "./crew.ts";
import { type FleetServer, type FleetServers, windowMs } from "./servers.ts";

export const faultNames = [
  "kill a server",
  "kill the leader",
  "kill a worker",
  "stop a worker",
  "terminate backends",
  "restart PostgreSQL, fast",
  "restart PostgreSQL, immediate",
  "deafen a server",
] as const;
export type FaultName = (typeof faultNames)[number];

export interface FaultRecord {
  readonly name: FaultName;
  readonly about: string;
  readonly from: number;
  /** When what was broken was there again. */
  to: number;
  /** Whom nobody could hear: for as long as it lasted, and one that was killed for good. */
  readonly member?: CrewMember;
  /** Who heard nobody. */
  readonly server?: FleetServer;
}

export interface FaultScene {
  readonly own: PrivatePostgres;
  readonly servers: FleetServers;
  readonly crew: Crew;
  readonly chance: Chance;
  readonly everyMs: readonly [number, number];
}

export interface Faults {
  readonly record: readonly FaultRecord[];
  readonly failures: readonly string[];
  /** No more begin; resolves when all that was broken is whole again. */
  stop(): Promise<void>;
}

export function startFaults(scene: FaultScene): Faults {
  const { chance, everyMs } = scene;
  const record: FaultRecord[] = [];
  const failures: string[] = [];
  const mending = new Set<Promise<void>>();
  const ending = new AbortController();

  async function cause(name: FaultName): Promise<void> {
    const calledAt = Date.now();
    const { from = calledAt, mend = async () => undefined, ...whom } = await causes[name](scene);
    const entry: FaultRecord = { name, from, to: Number.POSITIVE_INFINITY, ...whom };
    record.push(entry);
    const going: Promise<void> = mend()
      .catch((error) => void failures.push(`${name} (${whom.about}): ${error}`))
      .finally(() => {
        entry.to = Date.now();
        mending.delete(going);
      });
    mending.add(going);
  }

  async function go(): Promise<void> {
    let deck: FaultName[] = [];
    while (!ending.signal.aborted) {
      // Not a wait for anything: the moment is drawn.
      await pause(chance.between(...everyMs), undefined, { signal: ending.signal }).catch(() => undefined);
      if (ending.signal.aborted) break;
      if (deck.length === 0) deck = shuffled(faultNames, chance);
      await cause(deck.pop() as FaultName).catch((error) => void failures.push(String(error)));
    }
    while (mending.size > 0) await Promise.all(mending);
  }

  const over = go();
  return {
    ...{ record, failures },
    stop() {
      ending.abort();
      return over;
    },
  };
}

interface Broken extends Pick<FaultRecord, "about" | "member" | "server"> {
  /** Where something had to be waited for first. */
  readonly from?: number;
  /** Resolves when what was broken is there again; where absent, it is. */
  mend?(): Promise<void>;
}

type Cause = (scene: FaultScene) => Promise<Broken>;

const causes: Readonly<Record<FaultName, Cause>> = {
  "kill a server": async ({ servers, chance }) => {
    await allUp(servers);
    return killed(chance.oneOf(servers.all));
  },
  "kill the leader": async ({ servers }) => {
    await allUp(servers);
    return killed(await servers.leader());
  },
  "kill a worker": async ({ crew, chance }) => {
    const member = victim(crew, chance);
    if (member === undefined) return nothing;
    await crew.kill(member);
    crew.hire(member.orders);
    return { about: wordsFor(member), member };
  },
  "stop a worker": async ({ crew, chance }) => {
    const member = victim(crew, chance);
    if (member === undefined) return nothing;
    member.isStopped = true;
    member.child.kill("SIGSTOP");
    return {
      ...{ about: wordsFor(member), member },
      async mend() {
        await pause(windowMs + 2_000);
        member.child.kill("SIGCONT");
        member.isStopped = false;
      },
    };
  },
  "terminate backends": async ({ own, chance }) => {
    const share = chance.oneOf([0.5, 1]) as number;
    const rows = await own.query<{ pid: number }>(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid() and random() < $1`,
      [share],
    );
    return { about: `${rows.length} of them` };
  },
  "restart PostgreSQL, fast": ({ own }) => restarted(own, "fast"),
  "restart PostgreSQL, immediate": ({ own }) => restarted(own, "immediate"),
  "deafen a server": async ({ servers, chance }) => {
    const server = chance.oneOf(servers.all) as FleetServer;
    server.deafen();
    return { about: server.name };
  },
};

const nothing: Broken = { about: "nobody was there" };

/** Nothing else breaks before it is there again, or the next restart might meet this one. */
async function restarted({ postgres }: PrivatePostgres, mode: "fast" | "immediate"): ReturnType<Cause> {
  // After a crash the memory of its last backends may still be in use for a moment.
  await postgres.restart(mode).catch(() => pause(500).then(() => postgres.up()));
  return { about: "" };
}

/** One at a time: on a busy machine a start takes longer than the time between two faults, and soon none would be left. */
function allUp({ all }: FleetServers): Promise<void> {
  return until("all servers are there", () => all.every(({ isUp }) => isUp), 120_000);
}

async function killed(server: FleetServer | undefined): ReturnType<Cause> {
  if (server === undefined || !server.isUp) return nothing;
  const from = Date.now();
  await server.kill();
  return { about: server.name, from, server, mend: () => server.start() };
}

/** The door is drawn first, so that few of a kind are hit as often as many. */
function victim({ members }: Crew, chance: Chance): CrewMember | undefined {
  const awake = [...members].filter((member) => !member.isStopped && member.worker() !== undefined);
  return chance.oneOf(chance.oneOf([...Map.groupBy(awake, ({ orders }) => orders.door).values()]) ?? []);
}

function wordsFor(member: CrewMember): string {
  return `${member.orders.door} ${member.worker()}`;
}

function shuffled<T>(list: readonly T[], chance: Chance): T[] {
  return list
    .map((item) => ({ item, at: chance.fraction() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
