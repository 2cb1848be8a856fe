import assert from "node:assert/strict";
import { after, test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { type Caller, caller } from "./rest/caller.ts";
import { restServer } from "./rest/rest-server.ts";
import { fullName, hire, type JobName, room } from "./rest/stage.ts";
import { stoppedWorkers } from "./rest/stopped-workers.ts";
import type { Held, Late } from "./rest/worker-process.ts";

interface Line {
  readonly type: string;
  readonly at: string;
  readonly attempt: number;
}

async function history(ada: Caller, id: string): Promise<Line[]> {
  return (await ada.ask("GET", `/tasks/${id}/events`))?.body.items;
}

async function state(ada: Caller, id: string): Promise<string> {
  return (await ada.ask("GET", `/tasks/${id}`))?.body.status;
}

const timeoutMs = 4_000;
const patience = { LEADHAND_WORKER_TIMEOUT_SECONDS: `${timeoutMs / 1_000}`, LEADHAND_START_WITHIN: "60s" };

/** A worker with a task of each job, which it has started or not. */
async function holder(ada: Caller, start: boolean) {
  const worker = (await hire({ caller: ada })) as string;
  const take = async (job: JobName): Promise<string> => {
    const submitted = await ada.ask("POST", `/rooms/${room}/tasks/${fullName(job)}`, { body: {} });
    const id = submitted?.body.id;
    assert.equal((await ada.ask("POST", `/tasks/${id}/claim`, { body: { worker_id: worker } }))?.status, 200);
    if (start) assert.equal((await ada.ask("PATCH", `/tasks/${id}`, { body: { status: "running" } }))?.status, 200);
    return id;
  };
  const [fails, returns] = [await take("Plain"), await take("Requeued")];
  const beat = async () => Date.parse((await ada.ask("PATCH", `/workers/${worker}`))?.body.last_heartbeat);
  return { worker, fails, returns, beat };
}

function assertOnTime(afterMs: number): void {
  assert.ok(afterMs >= timeoutMs && afterMs < timeoutMs + 1_000, `lost ${afterMs} ms after its last beat`);
}

test("tasks of a worker that falls silent end as its door or their job says, within a second of the timeout", async () => {
  const faults: string[] = [];
  const server = await restServer({ settings: patience });
  const ada = caller({ ...server, onFault: (fault) => faults.push(fault) });
  const healthy = await holder(ada, true);
  const beats = setInterval(() => void healthy.beat(), timeoutMs / 5);
  after(() => clearInterval(beats));
  const silent = await Promise.all(Array.from({ length: 12 }, (_, nth) => holder(ada, nth % 2 === 0)));
  const lastBeats = await Promise.all(silent.map(({ beat }) => beat()));

  for (const [nth, { worker, fails, returns }] of silent.entries()) {
    const lastBeat = lastBeats[nth] as number;
    const failed = await ada.ask("GET", `/tasks/${fails}`, { headers: { prefer: "wait=20" } });
    assert.equal(failed?.body.status, "failed");
    assert.equal(failed.body.error, "Worker disconnected");
    assert.equal(failed.body.error_code, "worker_lost");
    assertOnTime(Date.parse(failed.body.completed_at) - lastBeat);
    await until("the other task is pending again", async () => (await state(ada, returns)) === "pending");
    const [lost, ...others] = (await history(ada, returns)).filter(({ type }) => type === "task.lost");
    assert.deepEqual([lost?.attempt, others], [1, []]);
    assertOnTime(Date.parse(lost?.at ?? "") - lastBeat);
    assert.equal((await ada.ask("PATCH", `/workers/${worker}`))?.status, 404);
  }
  assert.equal(await state(ada, healthy.fails), "running", "who beats keeps what he holds");
  clearInterval(beats);
  assert.equal(await server.stop(), 0);
  assert.deepEqual(faults, []);
});

const rounds = 4;
const processes = 2;
const workers = 25;

test("a worker that is stopped past its window and goes on is told that it is too late, two hundred times", async () => {
  const faults: string[] = [];
  const onFault = (fault: string): void => void faults.push(fault);
  // Time for fifty workers to begin side by side.
  const server = await restServer({ settings: patience });
  const ada = caller({ ...server, onFault });
  const bob = caller({ ...server, token: await server.tokenOf("bob"), onFault });
  const frozen = Array.from({ length: processes }, () => stoppedWorkers({ ...server, workers }));
  after(() => Promise.all(frozen.map((each) => each.end())));
  const late: Late[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const held = (await Promise.all(frozen.map((each) => each.hold()))).flat();
    for (const each of frozen) each.freeze();
    await Promise.all(held.map((each, nth) => passOn(nth % 8 < 4 ? ada : bob, each, nth % 4 < 2)));
    late.push(...(await Promise.all(frozen.map((each) => each.thaw()))).flat());
  }
  assert.equal(late.length, rounds * processes * workers);
  for (const { id, job, statuses } of late) {
    assert.deepEqual(statuses, [409, 409], job);
    assert.notEqual((await ada.ask("GET", `/tasks/${id}`))?.body.result, "late");
    const types = (await history(ada, id)).map(({ type }) => type);
    const lost = types.indexOf("task.lost");
    assert.ok(lost > 0 && types.indexOf("task.result_refused") > lost, `${types}`);
    assert.equal(types.filter((type) => type === "task.result_refused").length, statuses.length);
  }
  assert.deepEqual(faults, []);
  assert.equal(await server.stop(), 0);
  const { code, out } = await server.command("verify");
  assert.equal(code, 0, out);
});

/** Waits for the loss. What goes back to the line is taken by another, who is done or not when the first comes back. */
async function passOn(other: Caller, { id, job }: Held, completes: boolean): Promise<void> {
  if (job === "Plain") {
    const failed = await other.ask("GET", `/tasks/${id}`, { headers: { prefer: "wait=30" } });
    assert.equal(failed?.body.status, "failed");
    return;
  }
  await until(`task ${id} is pending again`, async () => (await state(other, id)) === "pending", 30_000);
  const worker_id = await hire({ caller: other });
  const taken = await other.ask("POST", `/tasks/${id}/claim`, { body: { worker_id } });
  const lease_token = taken?.body.lease_token;
  for (const status of completes ? ["running", "completed"] : ["running"]) {
    const reply = await other.ask("PATCH", `/tasks/${id}`, { body: { status, lease_token } });
    assert.equal(reply?.status, 200);
  }
}
