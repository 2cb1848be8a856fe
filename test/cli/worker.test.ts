import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import { leadhand, run, temporaryFolder } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";

const folder = await temporaryFolder();
const environment = { LEADHAND_URL: "http://127.0.0.1:7070", LEADHAND_TOKEN: "lh_x" };

test("a file that cannot be used is told with all its mistakes, before any server is asked", async () => {
  const file = join(folder, "jobs.ts");
  writeFileSync(file, 'export const jobs: unknown[] = [{ name: "Rotate", options: {}, handler: 7 as number }];\n');
  const { code, out, err } = await run(["worker", file], environment);
  assert.deepEqual([code, out], [2, ""]);
  assert.equal(
    err,
    `leadhand worker: ${file}: jobs[0] is named "Rotate", which is not room:category:name\n` +
      `${file}: jobs[0]: the handler is a number, not a function\n`,
  );
});

test("a worker without a file, without a token or with a strange number is refused", async () => {
  const [file, token, number] = await Promise.all([
    run(["worker"], environment),
    run(["worker", "jobs.ts"], { LEADHAND_DATA: folder }),
    run(["worker", "jobs.ts", "--concurrency", "0"], environment),
  ]);
  assert.deepEqual([file.code, token.code, number.code], [2, 2, 2]);
  assert.match(file.err, /FILE is missing/);
  assert.match(token.err, /There is no token \(none: .*admin-token is not there/);
  assert.match(number.err, /--concurrency: "0" is not a whole number from 1 to 1000/);
});

// Plain JavaScript that imports nothing: it lies outside of any package.
const slow = `
export const jobs = [{ name: "@global:modifiers:Slow", options: {}, handler: (task) => new Promise((resolve, reject) => {
  task.log.info("begun");
  const timer = setTimeout(() => resolve({ ok: true }), task.input.ms);
  task.signal.addEventListener("abort", () => { clearTimeout(timer); reject(task.signal.reason); });
}) }];
`;

async function atWork(ms: number) {
  const { url, admin } = await restScene();
  const client = new Client({ url, token: admin.token });
  const file = join(folder, "slow.mjs");
  writeFileSync(file, slow);
  const worker = leadhand(["worker", file, "--name", "slow one"], { LEADHAND_URL: url, LEADHAND_TOKEN: admin.token });
  await until("the worker is ready", () => worker.err().includes("ready"), 20_000);
  const { id } = await client.submit("@global:modifiers:Slow", { ms });
  await until("the task runs", async () => (await client.get(id)).status === "running", 10_000);
  const names = async () => (await admin.get("/workers")).body.items.map(({ name }: { name: string }) => name);
  return { worker, client, id, names, [Symbol.dispose]: () => client.close() };
}

test("told to stop, a worker finishes what is in hand, says goodbye and ends well", async () => {
  using scene = await atWork(800);
  const { worker, client, id, names } = scene;
  assert.deepEqual(await names(), ["slow one"]);
  worker.child.kill("SIGTERM");
  assert.equal(await worker.ended, 0, worker.err());
  assert.match(worker.err(), /1 job of .*slow\.mjs for http[\s\S]*finishing what is in hand/);
  const { status, result } = await client.get(id);
  assert.deepEqual([status, result], ["completed", { ok: true }]);
  assert.deepEqual(await names(), []);
});

test("told a second time, it gives the task back and ends at once", async () => {
  using scene = await atWork(60_000);
  const { worker, client, id, names } = scene;
  worker.child.kill("SIGTERM");
  await until("it has heard", () => worker.err().includes("finishing"), 10_000);
  // Signals of one moment count as one request, so this is sent until it counts.
  await until("it has heard again", () => worker.child.kill("SIGTERM") && worker.err().includes("giving back"), 10_000);
  assert.equal(await worker.ended, 143, worker.err());
  const { status, losses } = await client.get(id);
  assert.deepEqual([status, losses], ["pending", 0]);
  assert.deepEqual(await names(), []);
});
