import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { Fail, RetryLater, Worker } from "../../src/sdk/index.ts";
import { defaultsFor } from "../../src/sdk/worker/options.ts";
import { until } from "../../src/testing/until.ts";
import { temporaryFolder } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";
import { clientOf, hire } from "../sdk/scene.ts";
import { callerAt } from "./scene.ts";

const scene = await restScene();
const { token } = await scene.caller("ada");
const where = { url: scene.url, token };
const ada = callerAt(() => scene.url, token);
const client = clientOf(where);
const quick = { link: "fleet", pollMs: 20 } as const;

let count = 0;
/** A block of its own for each test. */
function blockName(): string {
  count += 1;
  return `fb.neops.io/block-${count}:1.0.0`;
}

const create = async (functionBlock: string, parameters: object = {}): Promise<string> =>
  (await ada.post("/blackboard/jobs", { functionBlock, parameters })).body.id;

async function jobOf(id: string) {
  const { body } = await ada.get("/blackboard/jobs");
  return body.find((job: { readonly id: string }) => job.id === id);
}

const pushed = (id: string) => until(`${id} is pushed`, async () => (await jobOf(id)).status === "pushed");

const history = async (id: string): Promise<string[]> =>
  (await ada.get(`/v1/tasks/${id}/events`)).body.items.map(({ type }: { readonly type: string }) => type);

test("a worker over the link fleet runs function blocks with the same handlers as over any other", async () => {
  const id = blockName();
  const { ids, worker } = await hire(
    where,
    (worker) => worker.job(`@global:blocks:${id}`, {}, ({ input, attempt }) => ({ input, attempt })),
    { ...quick, name: "lab-1", labels: { site: "north" } },
  ).start();
  const job = await create(id, { host: "10.0.0.1" });
  await pushed(job);
  const { result, workerUuid } = await jobOf(job);
  assert.deepEqual(result, { success: true, data: { input: { host: "10.0.0.1" }, attempt: 1 }, error: null });
  assert.equal(workerUuid, ids[0]);
  assert.deepEqual(await history(job), ["task.submitted", "task.claimed", "task.started", "task.completed"]);
  const blocks = (await ada.get(`/workers/${ids[0]}/function-blocks`)).body;
  assert.deepEqual(
    blocks.map((block: { readonly id: string }) => block.id),
    [id],
  );
  const { body } = await ada.get(`/v1/workers/${ids[0]}`);
  assert.deepEqual([body.profile, body.name, body.labels], ["fleet", "lab-1", { site: "north" }]);
  await worker.stop();
  const gone = (await ada.get(`/workers/${ids[0]}`)).body;
  assert.equal(gone.state, "OFFLINE", "it said goodbye");
  assert.notEqual(gone.unregisteredAt, null);
});

test("a handler that fails has pushed a failure; progress, logs and a wish to go back arrive too", async () => {
  const [bad, later] = [blockName(), blockName()];
  await hire(
    where,
    (worker) =>
      worker
        .job(`@global:blocks:${bad}`, {}, (task) => {
          task.progress(1, 2, "half");
          task.log.info("about to fail");
          throw new Fail("no route", { code: "NO_ROUTE", details: { hop: 3 } });
        })
        .job(`@global:blocks:${later}`, {}, ({ attempt }) => {
          if (attempt === 1) throw new RetryLater(0);
          return { attempt };
        }),
    quick,
  ).start();
  const [failing, waiting] = [await create(bad), await create(later)];
  await Promise.all([pushed(failing), pushed(waiting)]);
  const { result } = await jobOf(failing);
  assert.deepEqual(result, { success: false, data: { hop: 3 }, error: { code: "NO_ROUTE", message: "no route" } });
  const { progress } = await client.get(failing);
  assert.deepEqual(progress, { current: 1, total: 2, message: "half" });
  const { items } = (await ada.get(`/v1/tasks/${failing}/logs`)).body;
  assert.equal(items[0].message, "about to fail");
  assert.deepEqual((await jobOf(waiting)).result.data, { attempt: 2 });
});

test("“If a ping returns 404 (worker was cleaned up), the worker re-registers”, with its blocks, and goes on", async () => {
  const id = blockName();
  const { ids } = await hire(where, (worker) => worker.job(`@global:blocks:${id}`, {}, () => ({ ok: true })), {
    ...quick,
    pollMs: 3_600_000,
  }).start();
  const [first] = ids;
  assert.equal((await ada.delete(`/workers/${first}`)).status, 204);
  await until("it registered again", () => ids.length === 2);
  assert.notEqual(ids[1], first);
  const blocks = (await ada.get(`/workers/${ids[1]}/function-blocks`)).body;
  assert.equal(blocks[0].id, id);
});

test("a worker that was unregistered behind its back is there again with its next ping, and works on", async () => {
  const id = blockName();
  const { ids } = await hire(
    where,
    (worker) => worker.job(`@global:blocks:${id}`, {}, () => ({ ok: true })),
    quick,
  ).start();
  assert.equal((await ada.post(`/workers/${ids[0]}/unregister`)).status, 200);
  const job = await create(id);
  await pushed(job);
  assert.equal((await jobOf(job)).workerUuid, ids[0]);
  assert.equal(ids.length, 1);
});

test("many jobs are worked off side by side, and none twice", async () => {
  const id = blockName();
  let [running, most] = [0, 0];
  const ran: string[] = [];
  await hire(
    where,
    (worker) =>
      worker.job(`@global:blocks:${id}`, {}, async (task) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        ran.push(task.id);
      }),
    { ...quick, concurrency: 4, pollMs: 3_600_000 },
  ).start();
  const second = hire(
    where,
    (worker) => worker.job(`@global:blocks:${id}`, {}, (task) => void ran.push(task.id)),
    quick,
  );
  const jobs = await Promise.all(Array.from({ length: 20 }, () => create(id)));
  await second.start();
  for (const job of jobs) await pushed(job);
  assert.deepEqual([...ran].sort(), [...jobs].sort());
  assert.ok(most <= 4, `${most} at once`);
});

test("what is running at the end is finished and pushed before the goodbye", async () => {
  const id = blockName();
  let finish = (): void => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { worker, ids } = await hire(
    where,
    (worker) => worker.job(`@global:blocks:${id}`, {}, () => held.then(() => ({ done: true }))),
    quick,
  ).start();
  const job = await create(id);
  await until("it runs", async () => (await jobOf(job)).status === "polled");
  const stopping = worker.stop({ drainMs: 10_000 });
  finish();
  await stopping;
  assert.deepEqual((await jobOf(job)).result.data, { done: true });
  assert.equal((await ada.get(`/workers/${ids[0]}`)).body.state, "OFFLINE");
});

test("a worker over the link fleet shows what it takes of its machine, and a ping may say so of any worker", async () => {
  const id = blockName();
  const { ids } = await hire(where, (worker) => worker.job(`@global:blocks:${id}`, {}, () => null), quick).start();
  const shown = async (uuid: string | undefined) => (await ada.get(`/v1/workers/${uuid}`)).body;
  await until("its memory is seen", async () => (await shown(ids[0])).status.ramBytes > 0);
  const { status, blocked_ms } = await shown(ids[0]);
  assert.ok(status.cpuPercent >= 0 && status.loopLagMs >= 0 && blocked_ms >= 0);
  const { uuid } = (await ada.post("/workers/register")).body;
  const said = { cpuPercent: 12, ramBytes: 1_000, loopLagMs: 3 };
  assert.equal((await ada.post(`/workers/${uuid}/ping`, { status: said, blockedMs: 2_000 })).status, 200);
  const { status: told, blocked_ms: blockedMs } = await shown(uuid);
  assert.deepEqual([told, blockedMs], [said, 2_000]);
  for (const nothing of [undefined, {}, { status: null }]) {
    assert.equal((await ada.post(`/workers/${uuid}/ping`, nothing)).status, 200);
  }
  assert.equal((await ada.post(`/workers/${uuid}/ping`, { status: { cpuPercent: "much" } })).status, 422);
});

test("a worker over the link fleet obeys operators across a restart of its server, and each command once", async () => {
  const data = await temporaryFolder();
  const before = await restScene({ data });
  const boss = await before.caller("boss", { role: "admin" });
  const heard: string[] = [];
  const { ids } = await hire(
    { url: before.url, token: boss.token },
    (worker) =>
      worker.on("command", ({ type }) => void heard.push(type)).job(`@global:blocks:${blockName()}`, {}, () => null),
    quick,
  ).start();
  const { fleet } = clientOf({ url: before.url, token: boss.token });
  await fleet.setConcurrency(ids[0] ?? "", 1);
  await until("it is limited", () => heard.length === 1);
  await before.stop();
  await restScene({ data, port: new URL(before.url).port });
  await fleet.drainWorker(ids[0] ?? "");
  await until("all of it is acknowledged", async () => {
    for await (const { ok } of fleet.commands(ids[0] ?? "")) if (ok !== true) return false;
    return true;
  });
  assert.deepEqual([heard, ids.length], [["concurrency", "drain"], 1]);
});

test("jobs that are no function blocks are refused in plain words", () => {
  const worker = new Worker({ url: scene.url, token, link: "fleet" });
  for (const name of ["@global:modifiers:Rotate", "lab:blocks:a/b:1", "@global:blocks:nothing"]) {
    assert.throws(() => worker.job(name, {}, () => null), /no function block.*@global:blocks:package\/name:version/);
  }
});

test("a block that is registered with another schema ends the worker, with the server's reason", async () => {
  const id = blockName();
  const name = `@global:blocks:${id}`;
  await hire(where, (worker) => worker.job(name, { input: { type: "object" } as never }, () => null), quick).start();
  const other = hire(where, (worker) => worker.job(name, { input: { type: "array" } as never }, () => null), quick);
  await assert.rejects(other.start(), /rejected: .*another schema/);
});

test("“The Worker SDK defaults to every 20 seconds”, and asks for jobs every 10: by the words of the document alone", async () => {
  const { heartbeatMs, pollMs, drainMs } = { pollMs: 0, ...defaultsFor({ link: "fleet" }) };
  assert.deepEqual([heartbeatMs, pollMs, drainMs], [20_000, 10_000, 60_000]);
  const asked: string[] = [];
  const stub = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const answers: Readonly<Record<string, object>> = {
      "/workers/register": { uuid: "01993d6c-6c00-7000-8000-0a1b2c3d4e5f", state: "ONLINE", heartbeatIntervalMs: 30 },
      "/function-blocks/register": { registered: [], rejected: [] },
      "/blackboard/job": { jobs: [] },
    };
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answers[request.url ?? ""] ?? {}));
    });
  }).listen(0, "127.0.0.1");
  after(() => stub.close());
  await once(stub, "listening");
  const { port } = stub.address() as AddressInfo;
  const at = { url: `http://127.0.0.1:${port}`, token };
  const { worker } = await hire(at, (worker) => worker.job("@global:blocks:a/b:1", {}, () => null), {
    link: "fleet",
    heartbeatMs: 20_000,
  }).start();
  const ping = "POST /workers/01993d6c-6c00-7000-8000-0a1b2c3d4e5f/ping";
  await until("it pings as often as the server asks for", () => asked.filter((each) => each === ping).length >= 2);
  await worker.stop();
  // It pings from a thread of its own, beside all that.
  assert.deepEqual(asked.filter((each) => each !== ping).slice(0, 3), [
    "POST /workers/register",
    "POST /function-blocks/register",
    "POST /blackboard/job",
  ]);
  assert.equal(asked.filter((each) => each === "POST /blackboard/job").length, 1, "not again for ten seconds");
  assert.equal(asked.at(-1), "POST /workers/01993d6c-6c00-7000-8000-0a1b2c3d4e5f/unregister");
});
