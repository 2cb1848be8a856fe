import assert from "node:assert/strict";
import { aJob, aLaneKey, aSpec, aTask, aWorker, jobId, jobName, taskId, workerId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import type { Example, Stage } from "./stage.ts";

const now = worldStart + 50;
const odd = `"'\\{}[],;\t\n\r $1 ? :x %s é 漢字 🦊 ﷽ {"a":1}`;

export function catalogExamples(example: Example): void {
  example("the catalog of an empty store is empty", async (stage) => {
    assert.deepStrictEqual(await stage.store.read("catalog", { after: 0 }), {
      ...{ revision: 0, jobs: [], lanes: [], workers: [], pauses: [] },
    });
  });

  example("a new job that many bring at once is new to the first of them only", async (stage) => {
    const times = [1, 2, 3, 4, 5];
    for (const name of ["a", "b", "c", "d", "e", "f"].map((letter) => `@global:tests:${letter}`)) {
      const bring = () =>
        stage.store.amend({ jobs: [name] }, (view) => {
          const revision = (view.jobs.get(name)?.job.revision ?? 0) + 1;
          return { answer: revision, jobs: [aJob({ name, revision })] };
        });
      const brought = await Promise.all(times.map(bring));
      assert.deepEqual(brought.map(({ answer }) => answer).sort(), times);
    }
  });

  example("jobs and workers are read back whole, whatever their texts hold", async (stage) => {
    const job = aJob({
      ...{ name: `@global:tests:${odd}`, source: "explicit", deleted: true, revision: 7, room: "@global" },
      spec: aSpec({ schema: `{"title":${JSON.stringify(odd)}}`, output: "{}", queue: odd, policy: { timeoutMs: 5 } }),
    });
    const push = aJob({ id: jobId(2), name: "r:tests:Push", spec: aSpec({ push: '{"url":"http://x"}', policy: {} }) });
    const worker = aWorker({
      ...{ profile: "amqp", owner: odd, name: odd, hostname: odd, os: odd, about: JSON.stringify({ odd }) },
      ...{ queues: ["a", odd, ""], labels: { [odd]: odd, empty: "" }, paused: true, draining: true },
      orders: {
        latest: odd,
        drain: { by: odd, note: odd, at: 1, deadline: 2, isOver: false },
        concurrency: { value: 4, by: odd, note: null, at: 3 },
      },
      jobs: new Map([
        [jobName, "sha256:aa"],
        [odd, null],
      ]),
      session: { seenAt: 1, unreachableMs: 2, lostMs: 3, lostAt: 4, removedAt: null },
    });
    const plain = aWorker({ id: workerId(2), queues: [], jobs: new Map(), session: { removedAt: 9 } });
    const { lanes } = await stage.amend({
      ...{ jobs: [job, push], workers: [worker, plain] },
      lanes: [aLaneKey({ job: odd, queue: odd, labels: { [odd]: odd }, checksum: odd })],
    });
    const catalog = await stage.store.read("catalog", { after: 0 });
    assert.deepStrictEqual(catalog, { revision: 1, jobs: [job, push], lanes, workers: [worker], pauses: [] });
    const ids = [workerId(2), workerId(99), workerId(1)];
    assert.deepStrictEqual(await stage.store.read("workers", { ids }), [plain, worker]);
  });

  example("a worker is replaced whole, with its links and its session", async (stage) => {
    await stage.amend({
      workers: [
        aWorker({
          name: "old",
          jobs: new Map([
            ["a", "1"],
            ["b", null],
          ]),
        }),
      ],
    });
    const next = aWorker({
      profile: "fleet",
      jobs: new Map([
        ["b", "2"],
        ["c", null],
      ]),
      session: { seenAt: 5 },
    });
    await stage.amend({ workers: [next] });
    assert.deepStrictEqual(await stage.store.read("workers", { ids: [workerId(1)] }), [next]);
  });

  example("an amendment of the catalog raises its revision by one, however much it writes", async (stage) => {
    assert.equal(await revision(stage), 0);
    await stage.amend({
      jobs: [aJob(), aJob({ id: jobId(2), name: "r:c:n" })],
      workers: [aWorker()],
      lanes: [aLaneKey()],
    });
    assert.equal(await revision(stage), 1);
    const { lanes } = await stage.amend({ lanes: [aLaneKey({ queue: "q" }), aLaneKey()] });
    assert.equal(await revision(stage), 2);
    await stage.amend({ laneLimits: [{ lane: lanes[0]?.id as number, paused: true, maxRunning: 1 }] });
    assert.equal(await revision(stage), 3);
    await stage.amend({ jobs: [aJob()] });
    assert.equal(await revision(stage), 4, "writing the same again is a change");
  });

  example("nothing else raises the revision: not tasks, beats, nor lanes that exist", async (stage) => {
    const lane = await stage.begin();
    const before = await revision(stage);
    await stage.lane();
    await stage.amend({ jobs: [], workers: [], lanes: [], laneLimits: [] });
    await stage.submit(aTask({ lane }));
    await stage.store.beat([{ worker: workerId(1), at: now }]);
    await stage.store.amend({ tasks: [taskId(1)] }, () => ({ answer: null }));
    const failing = stage.store.amend({}, () => {
      throw new Error("no");
    });
    await assert.rejects(failing, /no/);
    assert.equal(await revision(stage), before);
    assert.equal((await stage.store.read("catalog", { after: 0 })).revision, before);
  });

  example("a reader who knows a revision is told what was written after it", async (stage) => {
    const other = aJob({ id: jobId(2), name: "r:c:n" });
    await stage.amend({ jobs: [aJob(), other], workers: [aWorker(), aWorker({ id: workerId(2) })] });
    const made = await stage.amend({ lanes: [aLaneKey(), aLaneKey({ queue: "q" })] });
    const [first, second] = made.lanes;
    await stage.amend({ jobs: [{ ...other, deleted: true, revision: 2 }] });
    await stage.amend({ laneLimits: [{ lane: second?.id as number, paused: true, maxRunning: null }] });
    const gone = aWorker({ id: workerId(2), jobs: new Map(), session: { removedAt: now } });
    await stage.amend({ workers: [gone], pauses: [] });
    const after = (n: number) => stage.store.read("catalog", { after: n });
    const paused = { ...second, paused: true };
    const deleted = { ...other, deleted: true, revision: 2 };
    assert.deepStrictEqual(await after(5), { revision: 5, jobs: [], lanes: [], workers: [], pauses: [] });
    assert.deepStrictEqual(await after(4), { revision: 5, jobs: [], lanes: [], workers: [gone], pauses: [] });
    assert.deepStrictEqual(await after(3), { revision: 5, jobs: [], lanes: [paused], workers: [gone], pauses: [] });
    assert.deepStrictEqual(await after(2), {
      revision: 5,
      jobs: [deleted],
      lanes: [paused],
      workers: [gone],
      pauses: [],
    });
    assert.deepStrictEqual(await after(1), {
      revision: 5,
      jobs: [deleted],
      lanes: [first, paused],
      workers: [gone],
      pauses: [],
    });
    const all = { revision: 5, jobs: [aJob(), deleted], lanes: [first, paused], workers: [aWorker()], pauses: [] };
    assert.deepStrictEqual(await after(0), all, "the first load leaves out who is gone");
  });

  example("jobs are listed by name as programs compare texts, lanes and workers by id", async (stage) => {
    const names = ["r:c:Z", "r:c:a", "r:c:B", "r:c:_", "r:c:é", "r:c:aa", "r:c:a b", "r:c:a-b", "R:c:a"];
    await stage.amend({
      jobs: names.map((name, n) => aJob({ id: jobId(n), name })),
      lanes: names.map((job) => aLaneKey({ job })),
      workers: [3, 1, 2].map((n) => aWorker({ id: workerId(n) })),
    });
    const { jobs, lanes, workers } = await stage.store.read("catalog", { after: 0 });
    assert.deepEqual(
      jobs.map((job) => job.name),
      [...names].sort(),
    );
    assert.deepEqual(
      workers.map((worker) => worker.id),
      [1, 2, 3].map(workerId),
    );
    const ids = lanes.map((lane) => lane.id);
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    );
  });

  example("a worker in the catalog has its latest beat", async (stage) => {
    await stage.begin();
    await stage.store.beat([{ worker: workerId(1), at: now }]);
    const { workers } = await stage.store.read("catalog", { after: 0 });
    assert.deepStrictEqual(workers, [aWorker({ session: { seenAt: now } })]);
  });
}

async function revision(stage: Stage): Promise<number> {
  return (await stage.store.read("catalog", { after: 0 })).revision;
}
