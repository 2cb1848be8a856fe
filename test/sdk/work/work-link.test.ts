import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { specChecksum } from "../../../src/core/checksum.ts";
import { RetryLater, TaskAborted } from "../../../src/sdk/index.ts";
import { until } from "../../../src/testing/until.ts";
import { anAssignment, type FakeConnection, fakeServer } from "./fake-server.ts";
import { hired, name } from "./hired.ts";

const readyOf = (connection: FakeConnection): number | undefined => connection.heartbeats.at(-1)?.ready;

test("the first heartbeat registers the worker, with its specs and their checksums, and asks for work", async () => {
  const options = { concurrency: 3, prefetch: 2, queues: ["reports"], labels: { gpu: "yes" }, name: "w" };
  const { fake, connection, first, ids } = await hired(() => 1, options);
  const { registration, ready } = first;
  assert.equal(connection.authorization, "Bearer secret");
  assert.equal(ready, 5);
  assert.deepEqual(registration?.specs, [{ id: name, checksum: specChecksum({ schema: {} }) }]);
  assert.deepEqual(
    [registration?.queues, registration?.labels, registration?.name],
    [["reports"], { gpu: "yes" }, "w"],
  );
  assert.deepEqual([registration?.concurrency, registration?.prefetch], [3, 2]);
  assert.ok(registration?.hostname && registration.os && registration.capabilities?.batch === true);
  assert.equal(ids.length, 1);
  const [put] = fake.asked;
  assert.deepEqual([put?.method, put?.path], ["PUT", "/v1/specs/%40global%3Amodifiers%3ARotate"]);
  assert.equal(put?.headers["if-none-match"], "*");
  assert.deepEqual(put?.body, { schema: {}, policy: { onWorkerLost: "requeue" } });
});

test("results of one frame of assignments leave in two heartbeats, and each asks for as many again", async () => {
  const { connection, endings } = await hired(
    async ({ input }) => input,
    { concurrency: 100 },
    await fakeServer({ acks: false }),
  );
  const jobs = Array.from({ length: 100 }, (_, nth) => anAssignment(name, { parameters: { nth } }));
  connection.assign(...jobs);
  await connection.resulted(100);
  const told = connection.heartbeats.filter((each) => each.results !== undefined);
  assert.deepEqual(
    told.map(({ results, ackedAssignment }) => [results?.length, ackedAssignment]),
    [
      [50, 100],
      [50, 100],
    ],
  );
  assert.deepEqual([told[0]?.ready, told[1]?.ready], [50, 100]);
  assert.deepEqual(told[0]?.results?.[7], { jobId: jobs[7]?.id, attempt: 1, outcome: "succeeded", data: { nth: 7 } });
  assert.equal(endings.length, 0);
  for (const { id: jobId } of jobs) connection.ack({ jobId, attempt: 1 });
  await until("all are through", () => endings.length === 100);
  assert.ok(endings.every(({ ending, job }) => ending === "completed" && job === name));
});

test("no more run than there are hands, and those beyond start in the order of their arrival", async () => {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const { connection } = await hired(
    ({ id, signal }) => {
      begun.push(id);
      signal.addEventListener("abort", () => ends.get(id)?.());
      return new Promise<void>((resolve) => ends.set(id, resolve));
    },
    { concurrency: 2, prefetch: 2 },
  );
  const jobs = Array.from({ length: 4 }, () => anAssignment(name));
  const ids = jobs.map(({ id }) => id);
  connection.assign(...jobs);
  await until("it has seen all", () => connection.heartbeats.at(-1)?.ackedAssignment === 4);
  assert.equal(readyOf(connection), 0);
  assert.deepEqual(begun, ids.slice(0, 2));
  ends.get(ids[1] ?? "")?.();
  await connection.resulted(1);
  assert.deepEqual(begun, ids.slice(0, 3));
  assert.equal(readyOf(connection), 1);
});

test("every way a handler may end is told as what it is", async () => {
  const ways: Record<string, () => unknown> = {
    nothing: () => undefined,
    fail: () => Promise.reject(Object.assign(new Error("no ink"), { code: "EINK" })),
    later: () => new RetryLater(1_500, { checkpoint: { page: 2 } }),
    large: () => "x".repeat(2_000_000),
  };
  const { connection } = await hired(({ input }) => ways[(input as { way: string }).way]?.(), { concurrency: 9 });
  for (const way of Object.keys(ways)) connection.assign(anAssignment(name, { parameters: { way } }));
  connection.assign(anAssignment("@global:modifiers:Other"));
  const results = await connection.resulted(5);
  const [nothing, other] = results.filter(({ outcome, delayMs }) => outcome === "succeeded" || delayMs === 10_000);
  assert.deepEqual(nothing?.data, undefined);
  assert.equal(other?.outcome, "released");
  const failed = results.filter(({ outcome }) => outcome === "failed").map(({ error }) => error);
  assert.deepEqual(failed.map((error) => error?.code).sort(), ["EINK", "result-too-large"]);
  assert.equal(failed.find((error) => error?.code === "EINK")?.message, "no ink");
  const later = results.find(({ delayMs }) => delayMs === 1_500);
  assert.deepEqual([later?.outcome, later?.checkpoint], ["released", { page: 2 }]);
});

test("results that do not fit into one frame leave in several", async () => {
  const { connection } = await hired(() => "é".repeat(500_000), { concurrency: 8 });
  connection.assign(...Array.from({ length: 8 }, () => anAssignment(name)));
  await connection.resulted(8);
  const sizes = connection.heartbeats.map((each) => Buffer.byteLength(JSON.stringify(each)));
  assert.ok(Math.max(...sizes) < 4 * 1_048_576, String(sizes));
  assert.equal(new Set(connection.results().map(({ jobId }) => jobId)).size, 8);
});

test("a heartbeat leaves each second though there is nothing to say, and says the server's number back", async () => {
  const { connection } = await hired(() => 1);
  const sentAt: number[] = [];
  await until("it echoes twice", () => {
    if (sentAt.length < connection.heartbeats.length) sentAt.push(performance.now());
    return connection.heartbeats.at(-1)?.echo === 2;
  });
  const gaps = sentAt.slice(1).map((at, nth) => at - (sentAt[nth] ?? 0));
  assert.ok(Math.max(...gaps) < 1_000 && connection.heartbeats.length < 7, String(gaps));
});

test("alerts leave at once, progress and lines of the log together, the lines only where they are wanted", async () => {
  let go: () => void = () => {};
  const { connection } = await hired(
    async (task) => {
      await nextTurn();
      await nextTurn();
      for (let step = 1; step <= 3; step += 1) task.progress(step, 10, "rotating");
      task.log.debug("not wanted");
      task.log.info("angle %d", 90);
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      task.alert({ severity: "critical", code: "stuck", message: "It does not turn" });
    },
    { concurrency: 2 },
  );
  const loud = anAssignment(name);
  connection.assign(loud, anAssignment(name, { logs: { requested: false, level: null } }));
  const statuses = () => connection.heartbeats.flatMap(({ status }) => status ?? []);
  await until("progress is told", () => statuses().some(({ jobs }) => jobs !== undefined));
  const { jobs = [], logs = [] } = statuses().find((status) => status.jobs !== undefined) ?? {};
  assert.deepEqual(
    jobs.map(({ progress }) => progress),
    Array(2).fill({ current: 3, total: 10, message: "rotating" }),
  );
  assert.deepEqual(
    logs.map(({ jobId, level, message }) => [jobId, level, message]),
    [[loud.id, "info", "angle 90"]],
  );
  const before = performance.now();
  go();
  await until("the alert is told", () => statuses().some(({ alerts }) => alerts !== undefined));
  assert.ok(performance.now() - before < 400);
});

test("many lines leave before their second is over, and all of them before the result", async () => {
  const { connection } = await hired((task) => {
    for (let line = 0; line < 7_000; line += 1) task.log.info("line %d", line);
    return true;
  });
  connection.assign(anAssignment(name));
  await connection.resulted(1);
  const lines = connection.heartbeats.flatMap(({ status }) => status?.logs ?? []).map(({ message }) => message);
  assert.deepEqual([lines.length, lines.at(-1)], [7_000, "line 6999"]);
});

test("a cancelled task aborts its handler, one that waits is not started, and the hand is free again", async () => {
  const reasons: unknown[] = [];
  const { connection, endings } = await hired(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        });
      }),
    { prefetch: 1 },
  );
  const [first, second] = [anAssignment(name), anAssignment(name)];
  connection.assign(first, second);
  await until("both are seen", () => connection.heartbeats.at(-1)?.ackedAssignment === 2);
  for (const { id: jobId, attempt } of [second, first]) connection.say<"cancel">({ type: "cancel", jobId, attempt });
  await until("both are dropped", () => endings.length === 2 && readyOf(connection) === 2);
  assert.deepEqual(
    endings.map(({ ending }) => ending),
    ["dropped", "dropped"],
  );
  assert.ok(reasons.length === 1 && reasons[0] instanceof TaskAborted && reasons[0].why === "cancelled");
  assert.deepEqual(connection.results(), []);
});

test("a result that could not be written is told again; one that is refused is not", async () => {
  const { connection, endings, log } = await hired(
    () => ({ ok: "yes" }),
    { concurrency: 3 },
    await fakeServer({ acks: false }),
  );
  const jobs = [anAssignment(name), anAssignment(name)];
  connection.assign(...jobs);
  const [again, late] = await connection.resulted(2);
  assert.ok(again && late);
  connection.ack(again, { accepted: false, reason: "store-unavailable", retry: true });
  connection.ack(late, { accepted: false, reason: "lease-lost" });
  const [, , same] = await connection.resulted(3);
  assert.deepEqual(same, again);
  connection.ack(again);
  await until("all are through", () => endings.length === 2);
  assert.deepEqual(
    endings.map(({ id, ending, error }) => [id, ending, error]),
    [
      [jobs[1]?.id, "refused", "lease-lost"],
      [jobs[0]?.id, "completed", undefined],
    ],
  );
  assert.ok(log.lines.some(({ message }) => message === "a result was refused"));
});

test("a result that no server takes is a failure of its own task, and spoils no other", async () => {
  const bad: Record<string, unknown> = {
    deep: JSON.parse("[".repeat(300) + "]".repeat(300)),
    half: "\ud800",
    nul: { "a\u0000": 1 },
    fine: "fine",
  };
  const { connection } = await hired(({ input }) => bad[(input as { way: string }).way], { concurrency: 4 });
  connection.assign(...Object.keys(bad).map((way) => anAssignment(name, { parameters: { way } })));
  const results = await connection.resulted(4);
  assert.deepEqual(
    results.map(({ outcome, error }) => [outcome, error?.code]),
    [...Array(3).fill(["failed", "result-refused"]), ["succeeded", undefined]],
  );
  assert.match(results[2]?.error?.message ?? "", /NUL/);
});

test("a worker that ends says so before it closes the connection", async () => {
  const { connection, worker } = await hired(() => 1);
  await worker.stop();
  await until("it is closed", () => connection.closed === 1_000);
  assert.deepEqual([connection.heartbeats.at(-1)?.state, readyOf(connection)], ["draining", 0]);
});

test("a task that is on its way to a worker that ends goes back before the worker leaves", async () => {
  const { connection, worker } = await hired(() => 1);
  const crossed = anAssignment(name);
  const stopped = worker.stop();
  connection.assign(crossed);
  await stopped;
  assert.deepEqual(
    connection.results().map(({ jobId, outcome }) => [jobId, outcome]),
    [[crossed.id, "released"]],
  );
  await until("it is closed", () => connection.closed === 1_000);
});

test("messages that are not known are ignored", async () => {
  const { connection } = await hired(() => 1);
  connection.raw('{"type":"news","of":"tomorrow"}');
  connection.raw('{"type":"__defineGetter__"}');
  connection.raw("null");
  connection.assign(anAssignment(name));
  await connection.resulted(1);
});
