// Three servers on one PostgreSQL, workers of every door, tasks over several jobs, queues and priorities, and every few
// seconds something that breaks. In the end the database is compared with everything that anyone was told.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { HistoryRecord } from "../../../src/ports/store-reads.ts";
import { allHistories, ledgerFaults } from "../../../src/testing/ledger.ts";
import { until } from "../../../src/testing/until.ts";
import { freePort } from "../../../tools/free-port.ts";
import { chance } from "../chance.ts";
import type { PrivatePostgres } from "../private-postgres.ts";
import { caller } from "../rest/caller.ts";
import { type Crew, crew } from "./crew.ts";
import { type Faults, startFaults } from "./faults.ts";
import { doubledFaults, livingLostFaults, orderFaults, outcomeFaults } from "./judges.ts";
import { type Load, startLoad } from "./load.ts";
import { patientCaller } from "./patient-caller.ts";
import { type FleetServers, fleetServers, windowMs } from "./servers.ts";
import { allEnded, defineJobs, lookingInto, verified } from "./stage.ts";
import { type Door, type JobName, jobs } from "./words.ts";

export interface FleetOptions {
  readonly tasks: number;
  /** Over all doors; each of the servers is one more, by its internal jobs. */
  readonly workers: number;
  readonly seconds: number;
  readonly seed: number;
  /** Between two faults, at least and at most. */
  readonly everyMs: readonly [number, number];
}

interface Fleet {
  readonly own: PrivatePostgres;
  readonly servers: FleetServers;
  readonly workers: Crew;
  readonly load: Load;
  readonly faults: Faults;
}

/** How many of a name are drawn, of so many in all. Each internal task is a thread: a few of them are enough. */
const jobNames = (
  Object.entries({ mixed: 9, night: 4, parent: 1, pushed: 2, block: 2, internal: 1 }) as [JobName, number][]
).flatMap(([name, share]) => Array<JobName>(share).fill(name));
const drainMs = 120_000;
const askedMax = 1_000;
const shownMax = 10;

export async function fleetRun(t: TestContext, postgres: PrivatePostgres, options: FleetOptions): Promise<void> {
  const own = patient(postgres);
  const { seed, tasks, seconds } = options;
  t.diagnostic(`seed ${seed}`);
  const phase = stopwatch(t);
  const servers = await fleetServers(own, ["one", "two", "three"]);
  const workers = await crew();
  const hasFleet = await isDoor(servers, "/workers/register");
  await hire(servers, workers, options.workers - servers.all.length, hasFleet);
  if (!hasFleet) t.diagnostic("the servers have no fleet door: its workers are left out");
  phase("all were there");
  const callers = servers.all.map(({ url }) => caller({ url, token: servers.token }));
  const load = startLoad({
    ...{
      callers,
      tasks,
      perSecond: tasks / seconds,
      together: 10,
      chance: chance(seed),
      msMax: 100,
    },
    jobs: jobNames.filter((name) => hasFleet || name !== "block"),
  });
  const faults = startFaults({ own, servers, crew: workers, chance: chance(seed + 1), everyMs: options.everyMs });
  const fleet: Fleet = { own, servers, workers, load, faults };
  try {
    await accepted(load, 2_000 * seconds);
    await faults.stop();
    phase("all were accepted, and the last fault was mended");
    assert.deepEqual([...load.faults, ...faults.failures].slice(0, shownMax), []);
    await settle(t, fleet, phase);
  } catch (error) {
    load.stop();
    await faults.stop();
    tell(fleet);
    throw error;
  } finally {
    await workers.leave();
  }
}

/** A machine that is busy with other work takes longer; one that does not get on at all is a fault. */
async function accepted(load: Load, limitMs: number): Promise<void> {
  let isDone = false;
  void load.done.then(() => {
    isDone = true;
  });
  await until("all are accepted", () => isDone, limitMs).catch((cause) => {
    throw new Error(`${load.accepted.length} were accepted in time; ${load.waiting()}`, { cause });
  });
}

/** What breaks the database may not be broken by it. */
function patient(own: PrivatePostgres): PrivatePostgres {
  const query: PrivatePostgres["query"] = async (...words) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await own.query(...words);
      } catch (error) {
        if (tries === 50) throw error;
        await pause(200);
      }
    }
  };
  return { ...own, query };
}

/** Says how long each part of the run took. */
function stopwatch(t: TestContext): (what: string) => void {
  let from = performance.now();
  return (what) => {
    t.diagnostic(`${((performance.now() - from) / 1_000).toFixed(1)} s until ${what}`);
    from = performance.now();
  };
}

async function isDoor({ all, token }: FleetServers, path: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${all[0]?.url}${path}`, { method: "POST", headers, body: "{}" });
  await answer.body?.cancel();
  return answer.status !== 404;
}

/** Shares of the doors among ten workers. */
const shares: readonly Door[] = [
  "work",
  "socket",
  "rest",
  "curl",
  "manager",
  "work",
  "curl",
  "socket",
  "rest",
  "manager",
];

async function hire(servers: FleetServers, workers: Crew, count: number, hasFleet: boolean): Promise<void> {
  const { all, token } = servers;
  const targetUrl = `http://127.0.0.1:${await freePort()}`;
  await defineJobs(servers, targetUrl);
  const doors = hasFleet ? [...shares.slice(0, 9), "fleet" as const] : shares;
  workers.hire({ door: "target", url: targetUrl, token });
  for (let nth = 0; nth < count - 1; nth += 1) {
    const { url = "" } = all[nth % all.length] ?? {};
    workers.hire({ door: doors[nth % doors.length] as Door, url, token });
  }
  await workers.ready();
}

async function settle(t: TestContext, fleet: Fleet, phase: (what: string) => void): Promise<void> {
  const { own, servers, workers, load, faults } = fleet;
  await allEnded(own, drainMs);
  phase("every task had ended");
  assert.deepEqual(workers.faults.slice(0, shownMax), []);
  assert.deepEqual((await unlikeRest(servers, load)).slice(0, shownMax), []);
  await verified(servers);
  await lookingInto(own, async (look) => {
    const histories = await allHistories(look);
    phase("the database was read again");
    summary(t, histories, faults);
    const blocks = new Set(
      (await look.read("catalog", { after: 0 })).lanes.filter(({ job }) => job === jobs.block).map(({ id }) => id),
    );
    const found = {
      ledger: await ledgerFaults(load.accepted, look),
      outcomes: outcomeFaults(histories, ({ task }) => blocks.has(task.card.lane)),
      "lost while alive": livingLostFaults(histories, workers.heard, windowMs),
      doubled: doubledFaults(workers.began),
      order: orderFaults(histories, {
        ...{ accepted: load.accepted, faults: faults.record, slackMs: 1_000, passedOverMaxMs: 15_000 },
      }),
    };
    const counts = Object.entries(found).map(([name, list]) => `${name} ${list.length}`);
    t.diagnostic(`faults found: ${counts.join(", ")}`);
    assert.deepEqual(
      Object.values(found).flatMap((list) => list.slice(0, shownMax)),
      [],
    );
  });
}

/** What accepted tasks are by REST, of whichever server: a thousand of them; the ledger is compared with all. */
async function unlikeRest({ all, token }: FleetServers, { accepted }: Load): Promise<string[]> {
  const wrong: string[] = [];
  const every = Math.ceil(accepted.length / askedMax);
  const waiting = accepted.filter((_, nth) => nth % every === 0);
  async function ask(url: string): Promise<void> {
    const calling = patientCaller(url, token);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { status, body } = await calling("GET", `/tasks/${next.id}`);
      const isThere = status === 200 && ["completed", "failed"].includes(body.status);
      if (!isThere) wrong.push(`${next.id}: ${status} ${JSON.stringify(body)}`);
    }
  }
  await Promise.all(all.flatMap(({ url }) => [url, url, url, url]).map(ask));
  return wrong;
}

function summary(t: TestContext, histories: ReadonlyMap<string, HistoryRecord>, { record }: Faults): void {
  const counts = new Map<string, number>();
  const add = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const { task, events } of histories.values()) {
    add(task.row.state);
    for (const { type } of events) if (/lost|released|retried|timed_out/.test(type)) add(type);
  }
  const text = (map: ReadonlyMap<string, number>) => [...map].map(([name, count]) => `${name} ${count}`).join(", ");
  t.diagnostic(`${histories.size} tasks: ${text(counts)}`);
  const names = Map.groupBy(record, ({ name }) => name);
  t.diagnostic(`${record.length} faults: ${text(new Map([...names].map(([name, list]) => [name, list.length])))}`);
}

/** What is needed to see why. */
function tell({ servers, workers, faults }: Fleet): void {
  for (const { name, about, from, to } of faults.record)
    console.error(`${new Date(from).toISOString()} ${name} ${about} (${to - from} ms)`);
  for (const { name, log } of servers.all) console.error(`--- ${name}\n${log().slice(-4_000)}`);
  for (const { orders, err } of workers.members)
    if (err() !== "") console.error(`--- ${orders.door}\n${err().slice(-1_000)}`);
}
