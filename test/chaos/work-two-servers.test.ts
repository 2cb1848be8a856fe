// Two servers on one database: a worker that one of them has lost sight of goes on at the other, and both hand out tasks
// in one order, whichever way they are asked for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { chance, newSeed } from "./chance.ts";
import { caller } from "./rest/caller.ts";
import { restServer } from "./rest/rest-server.ts";
import { frameProxy } from "./work/frame-proxy.ts";
import { plainWorker } from "./work/plain-worker.ts";
import { holding, room, starts, usual, type WorkStage, workStage } from "./work/stage.ts";

test(
  "a worker that is cut off from one server goes on at the other, and nothing is run twice",
  withPostgres,
  async () => {
    const databaseUrl = await freshDatabase();
    const stage = await workStage({ databaseUrl, settings: usual });
    const other = await restServer({ databaseUrl, settings: usual });
    await resumesElsewhere(stage, other.url);
    await programMoves(stage, other.url);
    await oneOrder(stage, other.url);
    await stage.allEnded(10_000);
    assert.equal(await other.stop(), 0);
    const histories = await stage.settle();
    for (const { task, events } of histories.values()) {
      const types = events.map(({ type }) => type).join(", ");
      assert.deepEqual([task.row.state, task.row.attempt], ["completed", 1], types);
    }
  },
);

/** Word by word: the older connection is told, and what it held is held on. */
async function resumesElsewhere({ server, submit, client }: WorkStage, elsewhere: string): Promise<void> {
  const before = await plainWorker(server.url, server.token);
  const { workerId, token } = before.welcome;
  // The job is there because somebody registered it.
  await registers(server.url, server.token);
  const ids = await submit(3, () => ({}));
  before.beat({ ready: 3 });
  await until("it has them", () => before.assigned().length === 3);
  before.beat({ ready: 0 });
  const jobs = ids.map((jobId) => ({ jobId, attempt: 1 }));
  const after = await plainWorker(elsewhere, server.token, { resume: { workerId, token, jobs } });
  assert.deepEqual([after.welcome.workerId, after.welcome.resumed, after.welcome.lost], [workerId, true, []]);
  assert.equal(await before.ends(), 4409);
  after.beat({ results: jobs.map((each) => ({ ...each, outcome: "succeeded", data: "from elsewhere" })) });
  for (const id of ids) {
    // Who waits at a server that has not heard of it in time looks again after five seconds.
    const { attempt, losses, result } = await client.wait(id, { timeoutMs: 15_000 });
    assert.deepEqual([attempt, losses, result], [1, 0, "from elsewhere"]);
  }
  after.beat({ state: "draining" });
  after.ws.close(1000);
  await after.ends();
}

/** The same with the SDK, by a wire that leads elsewhere from one moment to the next. */
async function programMoves(stage: WorkStage, elsewhere: string): Promise<void> {
  const wire = await frameProxy(stage.server.url, chance(newSeed()));
  const program = await stage.hire({ concurrency: 8 }, wire.url);
  const ids = await stage.submit(24, () => ({ ms: 1_000 }));
  await until("it is at work", () => holding(program).length === 8, 10_000);
  wire.move(elsewhere);
  for (const id of ids) await stage.client.wait(id, { timeoutMs: 15_000 });
  await until("the first server has let go of it", () => wire.codes.includes(4409));
  const begun = starts([program]);
  assert.deepEqual(
    ids.map((id) => begun.get(id)),
    ids.map(() => 1),
  );
  program.child.kill("SIGKILL");
  await program.ended;
}

/** Priority, then age. */
async function oneOrder({ server, submit }: WorkStage, elsewhere: string): Promise<void> {
  const priorities = [0, 5, 1, 5, 0, 9, -3, 1];
  const submitted: { readonly id: string; readonly priority: number }[] = [];
  for (const priority of priorities) {
    const [id = ""] = await submit(1, () => ({}), priority);
    submitted.push({ id, priority });
  }
  const expected = submitted.toSorted((one, another) => another.priority - one.priority).map(({ id }) => id);
  const claims = caller({ url: server.url, token: server.token });
  const claimer = await registers(server.url, server.token);
  const connected = await plainWorker(elsewhere, server.token);
  const got: string[] = [];
  for (let each = 0; each < expected.length; each += 2) {
    connected.beat({ ready: 1 });
    await until("it is given one", () => connected.assigned().length === each / 2 + 1);
    const { id, attempt } = connected.assigned().at(-1).job;
    connected.beat({ ready: 0, results: [{ jobId: id, attempt, outcome: "succeeded" }] });
    const claimed = (await claims.ask("POST", "/tasks/claim", { body: { worker_id: claimer } }))?.body.task;
    for (const status of ["running", "completed"]) {
      const body = { status, worker_id: claimer, lease_token: claimed.lease_token };
      assert.equal((await claims.ask("PATCH", `/tasks/${claimed.id}`, { body }))?.status, 200);
    }
    got.push(id, claimed.id);
  }
  assert.deepEqual(got, expected);
  connected.rest();
}

/** Answers a worker that claims by REST. */
async function registers(url: string, token: string): Promise<string> {
  const body = { category: "modifiers", name: "Work", schema: { type: "object" } };
  const reply = await caller({ url, token }).ask("PUT", `/rooms/${room}/jobs`, { body });
  assert.ok(reply !== null && reply.status < 300, JSON.stringify(reply));
  return reply.body.worker_id;
}
