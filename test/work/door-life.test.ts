import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../src/core/problem.ts";
import { taskId } from "../../src/testing/builders.ts";
import { until } from "../../src/testing/until.ts";
import { assignmentOf, doorScene, heartbeat, welcomed } from "./door-scene.ts";

const scene = await doorScene();

test("an assignment carries a whole copy of the job, its payload as it was written", async () => {
  const { client, seat } = await welcomed(scene);
  const payload = '{"b": 1.0, "a":12345678901234567890}';
  seat.line.assign([assignmentOf(1, payload)]);
  await client.hears("assignment");
  assert.ok(client.frames.at(-1)?.includes(`"parameters":${payload},`), "not read and written again");
  assert.deepEqual(
    { ...client.heard.at(-1), job: { ...client.heard.at(-1).job, parameters: null } },
    {
      ...{ type: "assignment", seq: 1 },
      job: {
        ...{ id: taskId(1), attempt: 1, spec: { id: "thumbnails", checksum: "sha256:aa" }, queue: "default" },
        ...{ parameters: null, logs: { requested: true, level: "info" } },
        ...{ scheduledAt: "2026-01-01T00:00:00.000Z", assignedAt: "2026-01-01T00:00:01.000Z" },
        meta: { room: "@global" },
      },
    },
  );
});

test("what is special about a job is in its meta", async () => {
  const { client, seat } = await welcomed(scene);
  const plain = assignmentOf(1, "{}", { spec: 'a "b"', queue: "\u2028\n", labels: { gpu: 'a"' } });
  const [card, row] = [plain.task.card, plain.task.row];
  const about = { room: 'r"', priority: -3, parent: taskId(5), retryOf: taskId(6), submitter: "\\", logs: null };
  const task = {
    ...plain.task,
    card: { ...card, ...about, policy: { timeoutMs: 900 } },
    row: { ...row, failures: 1, losses: 2, checkpoint: "[1.50]" },
  };
  seat.line.assign([{ ...plain, task }]);
  const { job } = await client.hears("assignment");
  assert.deepEqual([job.spec.id, job.queue, job.logs], ['a "b"', "\u2028\n", { requested: false, level: null }]);
  assert.deepEqual(job.meta, {
    ...{ room: 'r"', priority: -3, labels: { gpu: 'a"' }, parentId: taskId(5), retryOf: taskId(6), submitter: "\\" },
    ...{ failures: 1, losses: 2, checkpoint: [1.5], timeoutMs: 900 },
  });
  assert.ok(client.frames.at(-1)?.includes('"checkpoint":[1.50]'));
});

test("acknowledgements say whether a result is written, and whether to send it again", async () => {
  const { client, seat } = await welcomed(scene);
  const attempt = { task: taskId(1), attempt: 2 };
  seat.line.told(attempt, null);
  seat.line.told(attempt, new Problem("lease-lost", "x"));
  seat.line.told(attempt, new Problem("store-unavailable", "x"));
  seat.line.cancel(attempt);
  seat.line.drain();
  await client.hears("drain");
  const held = { jobId: taskId(1), attempt: 2 };
  assert.deepEqual(client.heard.slice(1), [
    { type: "resultAck", ...held, accepted: true },
    { type: "resultAck", ...held, accepted: false, reason: "lease-lost" },
    { type: "resultAck", ...held, accepted: false, reason: "store-unavailable", retry: true },
    { type: "cancel", ...held },
    { type: "drain" },
  ]);
});

test("messages of one turn come in one frame to who takes batches, and one by one to others", async () => {
  for (const batch of [true, false]) {
    const { client, seat } = await welcomed(scene, { capabilities: { batch } });
    seat.line.assign([1, 2, 3].map((seq) => assignmentOf(seq)));
    seat.line.told({ task: taskId(9), attempt: 1 }, null);
    await client.hears("resultAck");
    const types = client.heard.map(({ type }) => type);
    assert.deepEqual(types, ["welcome", "assignment", "assignment", "assignment", "resultAck"]);
    assert.equal(client.frames.length, batch ? 2 : 5);
  }
});

test("a batch does not grow without end", async () => {
  const { client, seat } = await welcomed(scene, { capabilities: { batch: true } });
  const payload = JSON.stringify({ text: "x".repeat(100_000) });
  seat.line.assign([1, 2, 3, 4, 5].map((seq) => assignmentOf(seq, payload)));
  await client.hears("assignment", ({ seq }) => seq === 5);
  assert.deepEqual(
    client.heard.slice(1).map(({ seq }) => seq),
    [1, 2, 3, 4, 5],
  );
  assert.deepEqual(
    client.frames.slice(1).map((frame) => Math.round(frame.length / 100_000)),
    [2, 2, 1],
  );
});

test("every worker gets a sign of life once a second, not all at the same time", async () => {
  const own = await doorScene();
  const workers = await Promise.all(Array.from({ length: 40 }, () => welcomed(own)));
  const ticks = () => workers.map(({ seat }) => seat.ticks);
  own.clock.advance(500);
  const half = ticks().filter((count) => count === 1).length;
  assert.ok(half >= 16 && half <= 24, `${half} of 40`);
  own.clock.advance(500);
  assert.deepEqual(new Set(ticks()), new Set([1]));
  own.clock.advance(9_000);
  assert.deepEqual(new Set(ticks()), new Set([10]));
  const { nonce } = await (workers[0] as (typeof workers)[number]).client.hears("beat", ({ nonce: n }) => n === 110);
  assert.equal(nonce, 110);
  for (const { client } of workers) client.ws.close();
  await until("all are gone", async () => (await own.metric("leadhand_work_connections")) === 0);
  own.clock.advance(100);
  assert.equal(own.clock.nextAt(), null, "the clockwork stands still while there is nobody");
});

test("a fault with one worker is told to it and to the log, and the others are not left out", async () => {
  const own = await doorScene();
  const [one, other] = [await welcomed(own), await welcomed(own)];
  one.seat.broken = true;
  own.clock.advance(3_000);
  assert.equal(await one.client.ends(), 1011);
  assert.equal(other.seat.ticks, 3);
  assert.equal(own.log.lines.filter(({ level }) => level === "error").length, 1);
});

test("a connection without a heartbeat ends with 4408 after the window, and after that silence is the engine's business", async () => {
  const own = await doorScene();
  const { client: alive } = await welcomed(own);
  const silent = await own.connect();
  await until("both are there", async () => (await own.metric("leadhand_work_connections")) === 2);
  own.clock.advance(4_999);
  await alive.hears("beat");
  assert.equal(silent.code, null);
  own.clock.advance(1);
  assert.equal(await silent.ends(), 4408);
  own.clock.advance(60_000);
  assert.equal(alive.code, null);
});

test("what the engine ends has its code, and the session is told once it is over", async () => {
  for (const [why, code] of [
    ["lost", 4408],
    ["replaced", 4409],
  ] as const) {
    const { client, seat } = await welcomed(scene);
    seat.line.close(why);
    assert.equal(await client.ends(), code);
    await until("it left", () => seat.left.length > 0);
    assert.deepEqual(seat.left, ["cut"]);
  }
});

test("a worker is done when it has drained and closes with 1000; any other end is a cut", async () => {
  for (const [state, code, how] of [
    ["draining", 1000, "done"],
    ["active", 1000, "cut"],
    ["draining", 4000, "cut"],
    ["draining", null, "cut"],
  ] as const) {
    const { client, seat } = await welcomed(scene);
    client.send(heartbeat({ state }));
    await until("the beat is heard", () => seat.beats.length === 2);
    if (code === null) client.ws.terminate();
    else client.ws.close(code);
    await until("it left", () => seat.left.length > 0);
    assert.deepEqual(seat.left, [how]);
  }
});

test("a server that stops says so to everyone, and lets nobody in any more", async () => {
  const own = await doorScene();
  const workers = await Promise.all([welcomed(own), welcomed(own)]);
  const stopped = own.door.stop();
  const late = await own.connect();
  assert.deepEqual([await late.ends(), late.heard[0]?.problem.type], [1001, "/v1/problems/stopping"]);
  await stopped;
  for (const { client, seat } of workers) assert.deepEqual([await client.ends(), seat.left], [1001, ["stopping"]]);
  assert.equal(await own.metric("leadhand_work_connections"), 0);
});

test("a worker that does not read is disconnected, and one that only reads slowly is not", async () => {
  const own = await doorScene({ "work-buffered-bytes-max": "65536" });
  const [deaf, slow] = [await welcomed(own), await welcomed(own)];
  // More than the machine keeps for a connection by itself.
  const payload = JSON.stringify({ text: "x".repeat(16 * 2 ** 20) });
  deaf.client.ws.pause();
  slow.client.ws.pause();
  deaf.seat.line.assign([assignmentOf(1, payload)]);
  slow.seat.line.assign([assignmentOf(1, payload)]);
  assert.ok(slow.seat.line.isFull(), "before it is sent");
  await until(
    "the frames are under way",
    async () => (await own.metric('leadhand_work_frames_total{direction="out"}')) === 4,
  );
  assert.ok(slow.seat.line.isFull(), "while it is not read");
  own.clock.advance(4_900);
  slow.client.ws.resume();
  await slow.client.hears("assignment");
  await until("there is room again", () => !slow.seat.line.isFull());
  own.clock.advance(1_100);
  await until("it left", () => deaf.seat.left.length > 0);
  assert.deepEqual(deaf.seat.left, ["cut"]);
  assert.equal(await own.metric('leadhand_work_closes_total{code="slow"}'), 1);
  own.clock.advance(20_000);
  assert.deepEqual([slow.client.code, slow.seat.left], [null, []]);
});

test("a worker that has read nothing for ten seconds is disconnected, however little waits", async () => {
  const own = await doorScene({ "work-buffered-bytes-max": "1073741824" });
  const { client, seat } = await welcomed(own);
  client.ws.pause();
  seat.line.assign([assignmentOf(1, JSON.stringify({ text: "x".repeat(16 * 2 ** 20) }))]);
  await until("it is under way", async () => (await own.metric('leadhand_work_frames_total{direction="out"}')) === 2);
  own.clock.advance(9_900);
  assert.equal(await own.metric("leadhand_work_connections"), 1);
  own.clock.advance(1_100);
  await until("it left", () => seat.left.length > 0);
  assert.equal(await own.metric('leadhand_work_closes_total{code="slow"}'), 1);
});

test("frames and ends are counted", async () => {
  const own = await doorScene();
  const { client } = await welcomed(own);
  assert.equal(await own.metric("leadhand_work_connections"), 1);
  client.send("{");
  await client.ends();
  await until("it is gone", async () => (await own.metric("leadhand_work_connections")) === 0);
  assert.equal(await own.metric('leadhand_work_frames_total{direction="in"}'), 2);
  assert.equal(await own.metric('leadhand_work_frames_total{direction="out"}'), 2);
  assert.equal(await own.metric('leadhand_work_closes_total{code="4400"}'), 1);
});
