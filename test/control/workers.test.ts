import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkerCommand } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { the } from "../rest/workshop.ts";
import { clientOf, type HireOptions, hire } from "../sdk/scene.ts";
import { connected, registration } from "../work/raw-worker.ts";

const scene = await restScene();
const ada = await scene.caller("ada", { role: "admin" });
const where = { url: scene.url, token: ada.token };
const client = clientOf(where);
const { fleet } = client;
let named = 0;

interface Open {
  end(): void;
  readonly aborted: () => string | undefined;
}

/** A worker whose handlers end when the test says so. */
async function slowWorker(options: HireOptions) {
  named += 1;
  const name = options.link === "fleet" ? `@global:blocks:test/slow-${named}:1` : `@global:modifiers:Slow${named}`;
  const open = new Map<string, Open>();
  const commands: WorkerCommand[] = [];
  const hired = hire(
    where,
    (worker) =>
      worker
        .on("command", (command) => void commands.push(command))
        .job(name, {}, async (task) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          task.signal.addEventListener("abort", () => resolve());
          open.set(task.id, { end: resolve, aborted: () => task.signal.reason?.why });
          await promise;
          return { ok: true };
        }),
    { ...options, ...(options.link === "fleet" && { pollMs: 20 }) },
  );
  await hired.start();
  const [id = ""] = hired.ids;
  const acked = async (type: string): Promise<void> => {
    await until(`${type} is acknowledged`, async () => {
      for await (const each of fleet.commands(id)) if (each.type === type) return each.ok === true;
      return false;
    });
  };
  const submit = async (count: number): Promise<string[]> =>
    (await client.submitMany("@global", Array(count).fill({ job: name }))).map(({ id }) => id);
  return { name, hired, id, open, commands, acked, submit };
}

for (const link of ["work", "rest", "fleet"] as const) {
  test(`a worker over ${link} that is paused finishes what it has, and goes on when it is resumed`, async () => {
    const { id, open, submit, acked, commands, hired } = await slowWorker({ link, concurrency: 2 });
    const [first = ""] = await submit(1);
    await until("it runs", () => open.has(first));
    const { pause } = await fleet.pauseWorker(id, { note: "the disk is full", forMs: 600_000 });
    assert.equal(pause?.note, "the disk is full");
    const [second = ""] = await submit(1);
    await acked("pause");
    assert.deepEqual([commands[0]?.type, commands[0]?.note], ["pause", "the disk is full"]);
    open.get(first)?.end();
    await client.wait(first, { timeoutMs: 10_000 });
    assert.equal((await client.get(second)).status, "pending");
    await fleet.resumeWorker(id);
    await until("it goes on", () => open.has(second));
    open.get(second)?.end();
    await client.wait(second, { timeoutMs: 10_000 });
    await acked("resume");
    assert.deepEqual(
      hired.endings.map(({ ending }) => ending),
      ["completed", "completed"],
    );
  });

  test(`a worker over ${link} that drains stays, idle, until it is resumed`, async () => {
    const { id, open, submit, acked } = await slowWorker({ link });
    const [first = ""] = await submit(1);
    await until("it runs", () => open.has(first));
    await fleet.drainWorker(id, { deadlineMs: 60_000 });
    const [second = ""] = await submit(1);
    await acked("drain");
    open.get(first)?.end();
    assert.equal((await client.wait(first, { timeoutMs: 10_000 })).status, "completed");
    const shown = the(200, await ada.get(`/workers/${id}`));
    assert.deepEqual([shown.state, shown.draining], ["ONLINE", true]);
    assert.equal((await client.get(second)).status, "pending");
    await fleet.resumeWorker(id);
    await until("it goes on", () => open.has(second));
    open.get(second)?.end();
  });

  test(`a worker over ${link} runs as many side by side as it is told to, and as before when that is taken back`, async () => {
    const { id, open, submit, acked } = await slowWorker({ link, concurrency: 2 });
    await fleet.setConcurrency(id, 1);
    await acked("concurrency");
    const tasks = await submit(6);
    await until("one runs", () => open.size === 1);
    await fleet.setConcurrency(id, 4);
    await until("four run", () => open.size === 4);
    await fleet.setConcurrency(id, null);
    await acked("concurrency");
    const ended = [...open.keys()].slice(0, 3);
    for (const task of ended) open.get(task)?.end();
    for (const task of ended) await client.wait(task, { timeoutMs: 10_000 });
    await until("two run", () => open.size === 5);
    for (const each of open.values()) each.end();
    await until("the last runs", () => open.size === 6);
    for (const each of open.values()) each.end();
    for (const task of tasks) await client.wait(task, { timeoutMs: 10_000 });
  });

  test(`a worker over ${link} stops a task that is taken from it, and the next attempt counts nothing against it`, async () => {
    const { open, submit, acked, id } = await slowWorker({ link });
    const [task = ""] = await submit(1);
    await until("it runs", () => open.has(task));
    const first = open.get(task);
    await fleet.pauseWorker(id);
    const { status } = await fleet.evict(task, { note: "it hangs" });
    assert.equal(status, "pending");
    await until("the handler is asked to stop", () => first?.aborted() !== undefined);
    await acked("evict");
    await fleet.resumeWorker(id);
    await until("it runs again", () => open.get(task) !== first);
    open.get(task)?.end();
    const done = await client.wait(task, { timeoutMs: 10_000 });
    assert.deepEqual([done.status, done.attempt, done.losses], ["completed", 2, 0]);
  });
}

test("what a draining worker has not begun goes to others at once", async () => {
  const { name, id, open, submit, acked } = await slowWorker({ link: "work", prefetch: 3 });
  const tasks = await submit(4);
  await until("one runs", () => open.size === 1);
  const holds = async () => the(200, await ada.get(`/workers/${id}/tasks?status=running`)).total;
  await until("it has all of them in hand", async () => (await holds()) === 4);
  await fleet.drainWorker(id);
  await acked("drain");
  await until("the others are given back", async () => (await holds()) === 1);
  const other = hire(where, (worker) => worker.job(name, {}, () => ({ ok: true })), { link: "work" });
  await other.start();
  for (const task of tasks.filter((each) => !open.has(each))) {
    const { status, losses } = await client.wait(task, { timeoutMs: 10_000 });
    assert.deepEqual([status, losses], ["completed", 0]);
  }
  for (const each of open.values()) each.end();
});

test("at the deadline a handler that does not end loses its task to another worker, and its result is refused", async () => {
  const { name, id, open, submit } = await slowWorker({ link: "work" });
  const [task = ""] = await submit(1);
  await until("it runs", () => open.has(task));
  await fleet.drainWorker(id, { deadlineMs: 300 });
  const other = hire(where, (worker) => worker.job(name, {}, () => ({ by: "other" })), { link: "work" });
  await other.start();
  const done = await client.wait(task, { timeoutMs: 10_000 });
  assert.deepEqual([done.result, done.attempt, done.losses], [{ by: "other" }, 2, 0]);
  await until("its handler was asked to stop", () => open.get(task)?.aborted() !== undefined);
});

test("a stranger's worker on /work hears of commands, and acknowledges with its next heartbeat", async () => {
  const spec = `operated-${named}`;
  the(201, await ada.put(`/specs/${spec}`, { schema: { type: "object" } }));
  const raw = await connected(scene.url, ada.token);
  raw.beat({ registration: registration([spec], { capabilities: { commands: true, cancel: true } }), ready: 2 });
  const { workerId } = await raw.hears("welcome");
  the(202, await ada.post(`/rooms/@global/tasks/@global:specs:${spec}`, {}));
  const job = await raw.takes();
  await fleet.pauseWorker(workerId, { note: "wait", until: new Date(Date.parse("2100-01-01T00:00:00Z")) });
  const pause = await raw.hears("command");
  const { id } = pause;
  const said = { type: "command", id, command: "pause", until: "2100-01-01T00:00:00.000Z", note: "wait" };
  assert.deepEqual(pause, said);
  await fleet.evict(job.id);
  const evict = await raw.hears("command", ({ command }) => command === "evict");
  assert.deepEqual([evict.jobId, evict.attempt], [job.id, 1]);
  await raw.hears("cancel", ({ jobId, attempt }) => jobId === job.id && attempt === 1);
  raw.beat({ ready: 2, acks: [{ id, ok: false, detail: "I am busy" }, { id: evict.id }] });
  await until("both are acknowledged", async () => {
    const { items } = the(200, await ada.get(`/workers/${workerId}/commands`));
    return items[0].ok === true && items[1].ok === false && items[1].detail === "I am busy";
  });
  raw.close();
});

test("a stranger's worker that knows nothing of commands is asked to drain as it always was", async () => {
  const spec = `plain-${named}`;
  the(201, await ada.put(`/specs/${spec}`, { schema: { type: "object" } }));
  const raw = await connected(scene.url, ada.token);
  raw.beat({ registration: registration([spec]), ready: 1 });
  const { workerId } = await raw.hears("welcome");
  await fleet.drainWorker(workerId);
  await raw.hears("drain");
  assert.ok(!raw.heard.some(({ type }) => type === "command"));
  raw.close();
});
