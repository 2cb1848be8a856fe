import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { Client, job, ServerProblem, ServerUnreachable, TaskFailed } from "../../src/sdk/index.ts";
import { restScene } from "../rest/scene.ts";
import { lossyWire } from "./lossy-wire.ts";
import { clientOf, hire } from "./scene.ts";

const scene = await restScene();
const { admin } = scene;
const where = { url: scene.url, token: admin.token };
const client = clientOf(where);
const double = job("@global:analysis:Double", {}, async ({ input }) => ({ twice: 2 * (input as { n: number }).n }));
const waits = "@global:analysis:Waits/for ever:1";

await hire(where, (worker) => {
  worker.job(double);
  worker.job("@global:analysis:Fails", {}, () => Promise.reject(new Error("no luck")));
}).start();
// A job whose worker never asks for anything.
await admin.put("/rooms/@global/jobs", { category: "analysis", name: "Waits/for ever:1" });

async function all<T>(sequence: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of sequence) found.push(each);
  return found;
}

test("a task is submitted with all it may be told, into the room that is named", async () => {
  const task = await client.submit(
    waits,
    { n: 1 },
    {
      ...{ room: "lab", priority: 5, queue: "night", labels: { gpu: "yes" }, delayMs: 60_000, timeoutMs: 1_000 },
      ...{ retry: { maxAttempts: 2 }, logs: { level: "debug" } },
    },
  );
  const { room_id, priority, queue, payload, job_name, run_at, status } = task;
  assert.deepEqual(
    { room_id, priority, queue, payload, job_name, status },
    {
      ...{ room_id: "lab", priority: 5, queue: "night", payload: { n: 1 }, job_name: waits, status: "pending" },
    },
  );
  assert.ok(run_at !== null && run_at > task.created_at);
  const child = await client.submit(waits, {}, { parent: task.id, runAt: new Date("2100-01-01T00:00:00Z") });
  assert.deepEqual([child.parent_id, child.run_at], [task.id, "2100-01-01T00:00:00.000Z"]);
  const { task: cancelled, cancelledChildren } = await client.cancel(task.id);
  assert.deepEqual([cancelled.status, cancelledChildren], ["cancelled", 1]);
});

test("a result is waited for, and a failure is thrown with its task", async () => {
  assert.deepEqual(await client.run(double, { n: 21 }), { twice: 42 });
  const failed = await client.run("@global:analysis:Fails").catch((error: unknown) => error);
  assert.ok(failed instanceof TaskFailed);
  assert.deepEqual([failed.message, failed.task.status], ["no luck", "failed"]);
  const again = await client.retry(failed.task.id);
  assert.equal(again.retry_of, failed.task.id);
  assert.equal((await client.wait(again.id)).status, "failed");
});

test("waiting ends when the caller says so, and the task goes on", async () => {
  const { id } = await client.submit(waits);
  await assert.rejects(client.wait(id, { timeoutMs: 50 }), { name: "TimeoutError" });
  const leaving = new AbortController();
  const waiting = client.wait(id, { signal: leaving.signal });
  leaving.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  assert.equal((await client.cancel(id)).task.status, "cancelled");
  await assert.rejects(client.cancel(id), (error: unknown) => {
    return error instanceof ServerProblem && error.code === "invalid-task-transition";
  });
});

test("a task is watched from its first state to its last", async () => {
  const { id } = await client.submit(waits);
  const seen: string[] = [];
  for await (const { status } of client.watch(id)) {
    seen.push(status);
    if (seen.length === 1) await client.cancel(id);
  }
  assert.deepEqual(seen, ["pending", "cancelled"]);
  assert.equal((await all(client.watch(id))).length, 1, "what is over is told once");
  const unknown = "01993d6c-7a10-7000-8000-000000000000";
  await assert.rejects(all(client.watch(unknown)), (error: unknown) => {
    return error instanceof ServerProblem && error.code === "task-not-found";
  });
});

test("lists are read to their end, over as many pages as there are", async () => {
  const many = Array.from({ length: 450 }, (_, n) => ({ job: waits, payload: { n }, options: { priority: n } }));
  const tasks = await client.submitMany("many", many);
  assert.equal(tasks.length, 450);
  const listed = await all(client.tasks({ room: "many", status: "pending" }));
  assert.equal(new Set(listed.map(({ id }) => id)).size, 450);
  assert.deepEqual((await all(client.tasks({ job: double, status: "failed" }))).length, 0);
  assert.ok((await all(client.jobs())).some(({ full_name }) => full_name === double.name));
  assert.ok((await all(client.workers({ state: "ONLINE" }))).length >= 2);
  assert.ok((await all(client.rooms())).some(({ room_id }) => room_id === "@global"));
});

test("a submit whose answer got lost is sent again, and is one task", async () => {
  let cut = 2;
  const url = await lossyWire(scene.url, ({ method }) => method === "POST" && cut-- > 0);
  using lossy = new Client({ url, token: admin.token });
  const { id } = await lossy.submit(waits, {}, { room: "once" });
  assert.equal(cut, -1);
  assert.deepEqual(
    (await all(client.tasks({ room: "once" }))).map((task) => task.id),
    [id],
  );
});

test("a server that is not there is named, after some tries", async () => {
  using nowhere = new Client({ url: "http://127.0.0.1:1", token: "none" });
  await assert.rejects(nowhere.get("x"), (error: unknown) => error instanceof ServerUnreachable);
});

test("where the stream of a task is not to be had, whoever watches it asks at a walk", async () => {
  const asked: unknown[] = [];
  const server = createServer(({ url: path, headers }, answer) => {
    if (/stream$/.test(path ?? "")) return void answer.writeHead(404).end();
    asked.push(headers["prefer"]);
    answer.setHeader("content-type", "application/json");
    answer.end(JSON.stringify({ id: "t1", status: asked.length < 3 ? "pending" : "completed" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => server.close());
  const client = clientOf({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "lh_x" });
  const statuses: string[] = [];
  for await (const { status } of client.watch("t1")) statuses.push(status);
  assert.deepEqual([statuses, asked], [["completed"], ["wait=1", "wait=1", "wait=1"]]);
});
