// Three servers on one PostgreSQL, workers of every door but RabbitMQ's, tasks over several jobs, queues and priorities, and every few
// seconds something that breaks. In the end the database is compared with everything that anyone was told.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../../src/testing/until.ts";
import { freePort } from "../../../tools/free-port.ts";
import { chance } from "../chance.ts";
import type { PrivatePostgres } from "../private-postgres.ts";
import { caller } from "../rest/caller.ts";
import { type Crew, crew } from "./crew.ts";
import { startFaults } from "./faults.ts";
import { type Load, startLoad } from "./load.ts";
import { patientCaller } from "./patient-caller.ts";
import { type FleetServers, fleetServers } from "./servers.ts";
import { allEnded, defineJobs, verified } from "./stage.ts";
import { type Evidence, verdict } from "./verdict.ts";
import type { Door, JobName } from "./words.ts";

export interface FleetOptions {
  readonly tasks: number;
  /** Over all doors; each of the servers is one more, by its internal jobs. */
  readonly workers: number;
  readonly seconds: number;
  readonly seed: number;
  /** Between two faults, at least and at most. */
  readonly everyMs: readonly [number, number];
}

interface Fleet extends Evidence {
  readonly servers: FleetServers;
}

/** How many of a name are drawn, of so many in all. Each internal task is a thread: a few of them are enough. */
const jobNames = (
  Object.entries({ mixed: 9, night: 4, parent: 1, pushed: 2, block: 2, sdkBlock: 2, internal: 1 }) as [
    JobName,
    number,
  ][]
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
  await hire(servers, workers, options.workers - servers.all.length);
  phase("all were there");
  const callers = servers.all.map(({ url }) => caller({ url, token: servers.token }));
  const load = startLoad({
    ...{ callers, tasks, perSecond: tasks / seconds, together: 10, chance: chance(seed), msMax: 100, jobs: jobNames },
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

/** Shares of the doors among ten workers. RabbitMQ has a run of its own. */
const shares: readonly Door[] = [
  ...(["work", "socket", "rest", "curl", "manager"] as const),
  ...(["work", "curl", "socket", "sdk-fleet", "fleet"] as const),
];

async function hire(servers: FleetServers, workers: Crew, count: number): Promise<void> {
  const { all, token } = servers;
  const targetUrl = `http://127.0.0.1:${await freePort()}`;
  await defineJobs(servers, targetUrl);
  workers.hire({ door: "target", url: targetUrl, token });
  for (let nth = 0; nth < count - 1; nth += 1) {
    const { url = "" } = all[nth % all.length] ?? {};
    workers.hire({ door: shares[nth % shares.length] as Door, url, token });
  }
  await workers.ready();
}

async function settle(t: TestContext, fleet: Fleet, phase: (what: string) => void): Promise<void> {
  const { own, servers, workers, load } = fleet;
  await allEnded(own, drainMs);
  phase("every task had ended");
  assert.deepEqual(workers.faults.slice(0, shownMax), []);
  assert.deepEqual((await unlikeRest(servers, load)).slice(0, shownMax), []);
  await verified(servers);
  await verdict(t, fleet, phase);
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

/** What is needed to see why. */
function tell({ servers, workers, faults }: Fleet): void {
  for (const { name, about, from, to } of faults.record)
    console.error(`${new Date(from).toISOString()} ${name} ${about} (${to - from} ms)`);
  for (const { name, log } of servers.all) console.error(`--- ${name}\n${log().slice(-4_000)}`);
  for (const { orders, err } of workers.members)
    if (err() !== "") console.error(`--- ${orders.door}\n${err().slice(-1_000)}`);
}
