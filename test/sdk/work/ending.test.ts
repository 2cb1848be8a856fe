import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../../src/testing/until.ts";
import { anAssignment, fakeServer } from "./fake-server.ts";
import { hired, name } from "./hired.ts";
import { said } from "./said.ts";

test("a server that asks for it gets a warm shutdown: nothing new, what runs ends, what waits goes back", async () => {
  let finish: (value: unknown) => void = () => {};
  const { connection, running, endings } = await hired(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
    { prefetch: 1 },
  );
  const [runs, waits] = [anAssignment(name), anAssignment(name)];
  connection.assign(runs, waits);
  await until("both are seen", () => connection.heartbeats.at(-1)?.ackedAssignment === 2);
  connection.say<"drain">({ type: "drain" });
  await connection.resulted(1);
  const last = connection.heartbeats.at(-1);
  assert.deepEqual([last?.state, last?.ready], ["draining", 0]);
  assert.deepEqual(
    connection.results().map(({ jobId, outcome }) => [jobId, outcome]),
    [[waits.id, "released"]],
  );
  assert.equal(connection.closed, null);
  const crossed = anAssignment(name);
  connection.assign(crossed);
  await connection.resulted(2);
  finish("done");
  await running();
  assert.deepEqual(
    connection.results().map(({ outcome }) => outcome),
    ["released", "released", "succeeded"],
  );
  await until("it is closed", () => connection.closed === 1_000);
  assert.deepEqual(
    endings.map(({ ending }) => ending),
    ["released", "released", "completed"],
  );
});

test("handlers that do not end in time are asked to, and their tasks go back where they do not", async () => {
  const { connection, worker, log } = await hired(
    ({ input, signal }) =>
      new Promise((_, reject) => {
        if ((input as { deaf?: boolean }).deaf !== true) signal.addEventListener("abort", () => reject(signal.reason));
      }),
    { concurrency: 2 },
  );
  connection.assign(anAssignment(name), anAssignment(name, { parameters: { deaf: true } }));
  await until("both are seen", () => connection.heartbeats.at(-1)?.ackedAssignment === 2);
  await worker.stop({ drainMs: 10 });
  assert.deepEqual(
    connection.results().map(({ outcome }) => outcome),
    ["released", "released"],
  );
  assert.ok(said(log, "did not stop in time"));
  await until("it is closed", () => connection.closed === 1_000);
});

test("a worker whose program is busy beats over REST in the meantime", async () => {
  const fake = await fakeServer({
    answer: ({ method }) => (method === "PATCH" ? { status: 200, body: { cancel: [] } } : undefined),
  });
  const program = fileURLToPath(new URL("busy-program.ts", import.meta.url));
  const child = spawn(process.execPath, [program, fake.url], { stdio: "inherit" });
  after(() => child.kill("SIGKILL"));
  after(() => fake.close());
  const connection = await fake.connection(1);
  await connection.welcome({ workerId: "0199a000-0000-7000-8000-000000000001" });
  connection.assign(anAssignment(name, { parameters: { ms: 3_500 } }));
  const beats = () => fake.asked.filter(({ method }) => method === "PATCH");
  await until("it beats twice", () => beats().length >= 2, 5_000);
  assert.equal(connection.results().length, 0);
  assert.equal(beats()[0]?.path, "/v1/workers/0199a000-0000-7000-8000-000000000001");
  assert.ok(beats()[0]?.body.blocked_ms >= 500);
  await connection.resulted(1);
  const beaten = beats().length;
  await until("it beats by itself", () => (connection.heartbeats.at(-1)?.echo ?? 0) !== 0);
  assert.ok(beats().length <= beaten + 1);
});
