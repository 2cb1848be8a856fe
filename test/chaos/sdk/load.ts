// Ten workers at work, half of them JobManagers, and somebody who submits; server and workers are killed again and again.
// Whatever was accepted has to come to one end, by the hands that are left, and the history has to say how.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { isFinal } from "../../../src/core/task-row.ts";
import { Client, ServerProblem, ServerUnreachable } from "../../../src/sdk/index.ts";
import { lookIntoDatabase } from "../../../src/server/look-into-database.ts";
import { allHistories, type Entry, ledgerFaults, markedPayload } from "../../../src/testing/ledger.ts";
import { recordedLog } from "../../../src/testing/recorded-log.ts";
import { until } from "../../../src/testing/until.ts";
import { type Chance, chance, newSeed } from "../chance.ts";
import { type RestServer, type RestServerOptions, restServer } from "../rest/rest-server.ts";
import { jobOf } from "./stage.ts";
import { type Kind, kinds, type WorkerProgram, workerProgram } from "./worker-program.ts";

const workersOfKind = 5;
const kills = { server: 5, worker: 10 } as const;
const submitters = 16;
const drainMs = 30_000;

type Accepted = Extract<Entry, { what: "accepted" }>;

export async function killedOnBothSides(t: TestContext, options: RestServerOptions): Promise<void> {
  const seed = newSeed();
  t.diagnostic(`seed ${seed}`);
  const when = chance(seed);
  const server = await restServer(options);
  const crew = await hire(server);
  const load = startLoad(server, when);
  try {
    for (const victim of inSomeOrder(when)) {
      const before = load.accepted.length;
      await until("work goes on", () => load.accepted.length > before + 3 || load.faults.length > 0, 20_000);
      // Not a wait for anything: the moment is drawn.
      await pause(when.between(20, 300));
      if (victim === "worker") await crew.killOne(when);
      else await server.kill().then(server.start);
    }
    await load.stop();
    assert.deepEqual([...load.faults, ...crew.faults].slice(0, 5), []);
    await settleAccounts(t, server, load);
    await crew.leave();
  } catch (error) {
    console.error(server.log().slice(-3_000), crew.errors().slice(-3_000));
    throw error;
  }
}

function lastWords(program: WorkerProgram): string {
  return `${JSON.stringify(program.said().at(-1) ?? null)} ${program.err()}`;
}

function inSomeOrder(when: Chance): string[] {
  const victims = Object.entries(kills).flatMap(([victim, times]) => Array<string>(times).fill(victim));
  return victims
    .map((victim) => ({ victim, at: when.fraction() }))
    .sort((one, other) => one.at - other.at)
    .map(({ victim }) => victim);
}

/** A worker that is killed is replaced at once. */
async function hire({ url, token }: RestServer) {
  const programs = new Map<WorkerProgram, Kind>();
  const faults: string[] = [];
  let errors = "";

  async function start(kind: Kind): Promise<WorkerProgram> {
    // By itself a manager gives up after five tries to register, each of which may find the server dead.
    const patient = { startDelays: Array<number>(20).fill(1) };
    const often = { manager: { heartbeatInterval: 0.4, ...patient }, worker: { heartbeatMs: 400, concurrency: 2 } };
    const program = await workerProgram({ kind, url, token, room: kind, ...often });
    programs.set(program, kind);
    void program.ended.then((code) => {
      errors += program.err();
      // Whoever is killed, or told to leave, is off the list by then.
      if (programs.has(program)) faults.push(`A ${kind} ended by itself: ${code} ${lastWords(program)}`);
    });
    return program;
  }

  const first = await Promise.all(kinds.flatMap((kind) => Array.from({ length: workersOfKind }, () => start(kind))));
  await Promise.all(first.map(({ worker }) => worker));
  return {
    faults,
    errors: () => errors,
    async killOne(when: Chance) {
      const [program, kind] = when.oneOf([...programs]) as [WorkerProgram, Kind];
      programs.delete(program);
      program.child.kill("SIGKILL");
      await start(kind);
    },
    async leave() {
      const left = [...programs.keys()];
      programs.clear();
      for (const { child } of left) child.kill("SIGKILL");
      await Promise.all(left.map(({ ended }) => ended));
    },
  };
}

/** Most often each waits for what it has submitted, so that the load does not outgrow its workers. */
function startLoad({ url, token }: RestServer, when: Chance) {
  const client = new Client({ url, token });
  const accepted: Accepted[] = [];
  const faults: string[] = [];
  const ending = new AbortController();
  let marks = 0;

  async function submitter(): Promise<void> {
    while (!ending.signal.aborted) {
      marks += 1;
      const mark = { mark: `${marks}`, call: `${marks}`, of: 1 };
      const payload = markedPayload(mark, { ms: when.happens(0.5) ? when.between(50, 500) : 0 });
      const { id } = await client.submit(jobOf(when.oneOf(kinds) as Kind), JSON.parse(payload));
      accepted.push({ what: "accepted", id, payload });
      if (when.happens(0.7)) await client.wait(id, { signal: ending.signal });
    }
  }

  async function goOn(): Promise<void> {
    while (!ending.signal.aborted) await submitter().catch(tolerate);
  }

  /** A server that is away for longer than a client asks, or a job whose workers are all dead. */
  function tolerate(error: unknown): void {
    const isGone = error instanceof ServerProblem && error.code === "job-not-found";
    if (isGone || error instanceof ServerUnreachable || ending.signal.aborted) return;
    faults.push(`${error instanceof Error ? error.stack : error}`);
    ending.abort();
  }

  const going = Array.from({ length: submitters }, goOn);
  return {
    ...{ accepted, faults, client },
    async stop() {
      ending.abort();
      await Promise.all(going);
    },
  };
}

async function settleAccounts(t: TestContext, server: RestServer, load: ReturnType<typeof startLoad>): Promise<void> {
  const { accepted, client } = load;
  const end = AbortSignal.timeout(drainMs);
  for (const { id } of accepted) {
    await client.wait(id, { signal: end }).catch(async (error) => {
      throw new Error(`Stranded: ${JSON.stringify(await client.get(id))}`, { cause: error });
    });
  }
  client.close();
  assert.equal(await server.stop(), 0);
  const { code, out } = await server.command("verify", "--json");
  assert.deepEqual(JSON.parse(out).faults, []);
  assert.equal(code, 0);
  const look = await lookIntoDatabase(server.database, recordedLog());
  try {
    assert.deepEqual((await ledgerFaults(accepted, look)).slice(0, 5), []);
    const counts: Record<string, number> = {};
    for (const { task, events } of (await allHistories(look)).values()) {
      assert.equal(events.filter(({ state }) => isFinal(state)).length, 1, `one end of ${task.card.id}`);
      counts[task.row.state] = (counts[task.row.state] ?? 0) + 1;
      if (events.some(({ type }) => type === "task.lost"))
        counts["lost once or more"] = (counts["lost once or more"] ?? 0) + 1;
    }
    t.diagnostic(`${accepted.length} accepted; ${JSON.stringify(counts)}`);
  } finally {
    await look.close();
  }
}
