import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ServerProblem, TaskAborted } from "../../../src/sdk/index.ts";
import { until } from "../../../src/testing/until.ts";
import { hire } from "../scene.ts";
import { type Asked, anAssignment, type FakeConnection, fakeServer } from "./fake-server.ts";
import { hired, name, onWork } from "./hired.ts";
import { said } from "./said.ts";

/** As the worker that it was. */
function welcomeBack(
  connection: FakeConnection,
  workerId: string,
  lost: readonly { id: string; attempt: number }[] = [],
) {
  const gone = lost.map(({ id: jobId, attempt }) => ({ jobId, attempt }));
  return connection.welcome({ workerId, resumed: true, lost: gone });
}

test("a worker that was cut off goes on as the one it was, and tells again what was not answered", async () => {
  let finish: (value: unknown) => void = () => {};
  const server = await fakeServer({ acks: false });
  const { connection, endings, ids, fake } = await hired(
    ({ input }) => {
      if ((input as { wait?: boolean }).wait !== true) return "told";
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
    { concurrency: 3 },
    server,
  );
  const [told, waits] = [anAssignment(name), anAssignment(name, { parameters: { wait: true } })];
  connection.assign(told, waits);
  await connection.resulted(1);
  connection.close(1001);
  const second = await fake.connection(2);
  const { registration, ready } = await welcomeBack(second, ids[0] ?? "");
  assert.equal(ready, 2);
  assert.deepEqual([registration?.resume?.workerId, registration?.resume?.token], [ids[0], "resume-me"]);
  assert.deepEqual(new Set(registration?.resume?.jobs.map(({ jobId }) => jobId)), new Set([told.id, waits.id]));
  assert.deepEqual(await second.resulted(1), connection.results());
  second.ack({ jobId: told.id, attempt: 1 });
  finish("later");
  await second.resulted(2);
  second.ack({ jobId: waits.id, attempt: 1 });
  await until("both are through", () => endings.length === 2);
  assert.ok(endings.every(({ ending }) => ending === "completed"));
  assert.equal(ids.length, 1);
});

test("what is not its own any more is aborted as lost, and a result of it that is refused is dropped quietly", async () => {
  const reasons: unknown[] = [];
  const server = await fakeServer({ acks: false });
  const { connection, endings, ids, fake, log } = await hired(
    ({ input, signal }) => {
      if ((input as { wait?: boolean }).wait !== true) return "told";
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(reasons.push(signal.reason)));
      });
    },
    { concurrency: 3 },
    server,
  );
  const [told, waits] = [anAssignment(name), anAssignment(name, { parameters: { wait: true } })];
  connection.assign(told, waits);
  await connection.resulted(1);
  connection.close(4408);
  const second = await fake.connection(2);
  await welcomeBack(second, ids[0] ?? "", [told, waits]);
  await second.resulted(1);
  second.ack({ jobId: told.id, attempt: 1 }, { accepted: false, reason: "lease-lost" });
  await until("both are through", () => endings.length === 2);
  assert.deepEqual(
    endings.map(({ ending }) => ending),
    ["dropped", "dropped"],
  );
  assert.ok(reasons[0] instanceof TaskAborted && reasons[0].why === "lost");
  assert.ok(!said(log, "refused"));
  assert.equal(second.results().length, 1);
});

test("a worker that the server has forgotten loses all it had, and is ready under another id", async () => {
  const { connection, endings, ids, fake } = await hired(
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  connection.assign(anAssignment(name));
  await until("it is seen", () => connection.heartbeats.at(-1)?.ackedAssignment === 1);
  connection.close(4408);
  const second = await fake.connection(2);
  await second.welcome();
  await until("it is ready again", () => ids.length === 2 && endings.length === 1);
  assert.equal(endings[0]?.ending, "dropped");
  assert.notEqual(ids[0], ids[1]);
  await until("it wants work", () => second.heartbeats.at(-1)?.ready === 1);
});

test("a server that says nothing for five seconds is left, and come back to", async () => {
  const { fake, log } = await hired(() => 1, {}, await fakeServer({ beats: false }));
  await (await fake.connection(2)).welcome();
  assert.ok(log.lines.some(({ fields }) => String(fields["why"]).includes("nothing was heard")));
});

test("a refused token is asked for once more, and then the worker ends and says why", async () => {
  const tokens = ["first", "second", "third"];
  const fake = await fakeServer();
  const { start, running, log } = onWork(fake, () => 1, {
    token: () => tokens[Math.min(2, fake.connections.length)] ?? "",
  });
  const started = start();
  (await fake.connection(1)).close(4401);
  (await fake.connection(2)).close(4401);
  await assert.rejects(started, (error: unknown) => error instanceof ServerProblem && error.status === 401);
  await assert.rejects(running());
  assert.deepEqual(
    fake.connections.map((each) => each.authorization),
    ["Bearer first", "Bearer second"],
  );
  assert.ok(said(log, "cannot go on"));
});

test("a worker that somebody else goes on as ends, and says so", async () => {
  const { connection, running } = await hired(() => 1);
  connection.close(4409);
  await assert.rejects(running(), /Another connection/);
});

test("where the upgrade does not come through and REST does, a worker works over REST", async () => {
  const upgrades: number[] = [];
  const fake = await fakeServer({
    upgrade: () => upgrades.push(404) && 404,
    answer({ method, path }: Asked) {
      if (path === "/v1/tasks/claim") return { status: 200, body: { tasks: [], task: null } };
      return method === "POST" && path === "/v1/workers" ? { status: 201, body: { id: "by-rest" } } : undefined;
    },
  });
  const rest = hire({ url: fake.url, token: "t" }, (each) => each.job(name, {}, () => 1), { link: undefined });
  after(() => fake.close());
  await rest.start();
  assert.deepEqual([rest.ids, upgrades.length], [["by-rest"], 2]);
  assert.ok(said(rest.log, "working over REST"));
  await rest.worker.stop({ drainMs: 0 });
});

test("a worker that is told to use the WebSocket goes on trying", async () => {
  let refusals = 0;
  const fake = await fakeServer({ upgrade: () => (refusals++ < 3 ? 502 : null) });
  const { start, ids } = onWork(fake, () => 1);
  const started = start();
  await (await fake.connection(1)).welcome();
  await started;
  assert.equal(ids.length, 1);
});
