import assert from "node:assert/strict";
import { aJob, aPulse, aSpec, aTask, jobName, taskId, workerId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { complete, type Example } from "./stage.ts";

const now = worldStart + 50;
const odd = '{"note":"the \\"odd\\" one, {a}, é\\\\ "}';

/** How workers are, what their histories say of it, and what they have in hand. */
export function toldExamples(example: Example): void {
  example("workers of whom something new is to be told are found by id, from the instant on", async (stage) => {
    const session = { seenAt: now, unreachableMs: 10, lostMs: 30 };
    const untold = (at: number, heardMs = 10, limit = 9) => stage.store.find("untold", { now: at, heardMs, limit });
    await stage.worker(3, { session });
    await stage.worker(1, { session: { ...session, seenAt: now + 5 } });
    await stage.worker(2, { session: { ...session, told: "UNREACHABLE" } });
    await stage.worker(4, { session: { ...session, unreachableMs: null } });
    await stage.worker(5, { session: { ...session, lostAt: now } });
    await stage.worker(6, { session: { ...session, removedAt: now, told: "UNREACHABLE" } });
    assert.deepEqual(await untold(now + 9), [workerId(2)]);
    assert.deepEqual(await untold(now + 10), [workerId(3)]);
    assert.deepEqual(await untold(now + 15), [1, 3].map(workerId));
    assert.deepEqual(await untold(now + 15, 10, 1), [workerId(1)]);
    assert.deepEqual(await untold(now + 15, 9), [], "silence counts only where it could be heard");
    assert.deepEqual(await untold(now + 9, 0), [workerId(2)], "a beat was heard in any case");
  });

  example("a pulse tells when a session changes next, and of one that is back at once", async (stage) => {
    const session = { seenAt: worldStart, unreachableMs: 100, lostMs: 300 };
    const nextAt = async (at = now) => (await stage.store.pulse(aPulse({ now: at }))).nextLostAt;
    await stage.worker(1, { session });
    assert.equal(await nextAt(), worldStart + 100);
    await stage.worker(1, { session: { ...session, told: "UNREACHABLE" } });
    assert.equal(await nextAt(worldStart + 100), worldStart + 300);
    await stage.store.beat([{ worker: workerId(1), at: worldStart + 150 }]);
    assert.equal(await nextAt(worldStart + 249), worldStart + 150);
    assert.equal(await nextAt(worldStart + 250), worldStart + 450);
    await stage.worker(2, { session: { seenAt: worldStart, lostMs: 200 } });
    assert.equal(await nextAt(worldStart + 250), worldStart + 200);
  });

  example("a pulse foretells nobody's silence that may not be judged yet, and whoever is back", async (stage) => {
    const session = { seenAt: worldStart, unreachableMs: 100, lostMs: 300 };
    const nextAt = async (heardMs: number) =>
      (await stage.store.pulse(aPulse({ now: worldStart + 120, heardMs }))).nextLostAt;
    await stage.worker(1, { session });
    await stage.worker(2, { session: { ...session, unreachableMs: null } });
    assert.deepEqual([await nextAt(99), await nextAt(100)], [null, worldStart + 100]);
    await stage.worker(1, { session: { ...session, told: "UNREACHABLE" } });
    assert.deepEqual([await nextAt(99), await nextAt(100)], [null, worldStart + 300]);
    await stage.store.beat([{ worker: workerId(1), at: worldStart + 110 }]);
    assert.deepEqual([await nextAt(99), await nextAt(300)], [worldStart + 110, worldStart + 110]);
  });

  example("a beat may say how the worker is, which stays until another says something else", async (stage) => {
    const status = async () => (await stage.store.read("workers", { ids: [workerId(1)] }))[0]?.status;
    const revision = async () => (await stage.store.read("catalog", { after: 0 })).revision;
    await stage.worker(1);
    assert.equal(await status(), null);
    const before = await revision();
    const beat = (said?: string | null) =>
      stage.store.beat([{ worker: workerId(1), at: now, ...(said !== undefined && { status: said }) }]);
    await beat(odd);
    assert.equal(await status(), odd);
    await beat();
    await beat(null);
    assert.equal(await status(), odd);
    await stage.store.beat([
      { worker: workerId(1), at: now, status: "{}" },
      { worker: workerId(1), at: now - 1 },
    ]);
    assert.equal(await status(), "{}");
    assert.equal(await revision(), before, "a beat is no change of the catalog");
  });

  example("what workers have in hand is counted, and those with nothing are left out", async (stage) => {
    const lane = await stage.begin();
    await stage.worker(2);
    await stage.worker(3);
    await stage.submit(...[1, 2, 3].map((n) => aTask({ id: taskId(n), lane })));
    const [first] = await stage.claims([lane], { limit: 2 });
    await stage.claims([lane], { worker: workerId(2) });
    const workers = [1, 2, 3, 9].map(workerId);
    const holdings = async () => [...(await stage.store.read("holdings", { workers }))].sort();
    assert.deepEqual(await holdings(), [
      [workerId(1), 2],
      [workerId(2), 1],
    ]);
    if (first) await stage.settle(first, [{ type: "start" }, complete]);
    assert.deepEqual((await holdings())[0], [workerId(1), 1]);
    assert.equal((await stage.store.read("holdings", { workers: [] })).size, 0);
  });

  example("what a worker has completed is counted by lane", async (stage) => {
    const lane = await stage.begin();
    await stage.worker(2);
    await stage.submit(...[1, 2, 3, 4].map((n) => aTask({ id: taskId(n), lane })));
    const done = async (n: number) => [...(await stage.store.read("workDone", { worker: workerId(n) }))];
    const claimed = await stage.claims([lane], { limit: 3 });
    assert.deepEqual(await done(1), [], "what it holds is not done");
    for (const task of claimed.slice(0, 2)) await stage.settle(task, [{ type: "start" }, complete]);
    if (claimed[2]) await stage.settle(claimed[2], [{ type: "cancel", reason: null }]);
    assert.deepEqual(await done(1), [[lane, 2]]);
    assert.deepEqual(await done(2), []);
    assert.deepEqual(await done(9), []);
  });

  example("how large the database is can be told", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[1, 2, 3].map((n) => aTask({ id: taskId(n), lane })));
    const { kind, bytes, walBytes, tables, migrations, version } = await stage.store.read("size", {});
    const names = tables.map(({ name }) => name);
    assert.deepEqual(names, [...names].sort());
    const task = tables.find(({ name }) => name === "task");
    // PostgreSQL estimates, and has had no time to.
    assert.equal(kind === "postgres" ? 3 : task?.rows, 3);
    assert.deepEqual(
      migrations.map((each) => each.version),
      migrations.map((_, nth) => nth + 1),
    );
    if (kind === "memory") return;
    assert.ok(bytes > 0 && version !== null && migrations.every(({ name }) => name !== null));
    assert.equal(walBytes !== null, kind === "sqlite");
    assert.equal((task?.bytes ?? 0) > 0, kind === "postgres");
  });

  example("the labels that a job asks for are kept with it", async (stage) => {
    const labels = { gpu: "yes", 'odd "key"': "é" };
    const spec = async () => (await stage.store.read("catalog", { after: 0 })).jobs[0]?.spec.labels;
    await stage.amend({ jobs: [aJob({ spec: aSpec({ labels }) })] });
    assert.deepEqual(await spec(), labels);
    await stage.amend({ jobs: [aJob({ name: jobName, spec: aSpec() })] });
    assert.equal(await spec(), null);
  });
}
