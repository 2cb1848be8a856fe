import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { serve } from "../leadhand-process.ts";
import { readDocument, shellBlocks } from "../shell-blocks.ts";
import { missing, type Place, place } from "./shell.ts";

const [curlWorker = "", curlSubmit = "", smallWorker = "", smallSubmit = ""] = shellBlocks(
  readDocument("examples/curl/README.md"),
);
const [pythonWorker = "", pythonSubmit = ""] = shellBlocks(readDocument("examples/python-worker/README.md"));
const primes = "/rooms/lab/tasks/lab:analysis:count-primes";
const noCurl = missing("curl");
const noPython = missing("python3");

const here = await place();

test("the worker written with curl does what was submitted with curl, and says goodbye", { skip: noCurl }, async () => {
  const worker = here.type(curlWorker);
  await until("it waits for work", () => worker.out().includes("/tasks/claim"), 10_000);
  const submit = here.type(curlSubmit);
  assert.equal(await submit.ended, 0, submit.out());
  assert.match(submit.out(), /\ncompleted: Hello, Ada!\n$/);
  worker.kill("SIGTERM");
  assert.equal(await worker.ended, 0, worker.out());
  assert.equal((await here.ask("GET", "/workers")).total, 0);
});

test("no text that is submitted breaks the worker written with curl", { skip: noCurl }, async () => {
  const token = "export LEADHAND_TOKEN=$(cat leadhand-data/admin-token)";
  const names = ['A"d\\a', '","lease_token":"mine', "Zoë\\n $(exit 7) `false` %s"];
  const worker = here.type(`${token}\nexamples/curl/worker.sh ${names.length + 1}`);
  await until("it waits for work", () => worker.out().includes("/tasks/claim"), 10_000);
  const spread = '{"payload":\n{"name"\n:\t"Ada"}}';
  const { id } = await here.ask("POST", "/rooms/lab/tasks/lab:modifiers:greet", spread);
  for (const name of names) {
    const submit = here.type(`${token}\nexamples/curl/submit.sh "$NAME"`, { NAME: name });
    assert.equal(await submit.ended, 0, submit.out());
  }
  assert.equal(await worker.ended, 0, worker.out());
  const { items } = await here.ask("GET", `/rooms/lab/tasks?limit=${names.length}`);
  const greetings = items.map(({ result }: { result: { greeting: string } }) => result.greeting);
  assert.deepEqual(
    greetings.reverse(),
    names.map((name) => `Hello, ${name}!`),
  );
  assert.equal((await here.ask("GET", `/tasks/${id}`)).result.greeting, "Hello, Ada!");
});

test("thirty lines of bash are a whole worker: they register, claim, run, settle and say goodbye", {
  skip: noCurl || missing("bash"),
}, async () => {
  assert.ok(readDocument("examples/curl/small-worker.sh").trimEnd().split("\n").length <= 30);
  const worker = here.type(smallWorker);
  await until("it is there", () => worker.out().startsWith("worker "), 10_000);
  const submit = here.type(smallSubmit);
  assert.equal(await submit.ended, 0, submit.out());
  const greet = "/rooms/lab/tasks/lab:modifiers:greet-in-30-lines";
  const odd = 'A"d\\a\n","lease_token":"mine $(exit 7) %s';
  const [first, second, third] = [
    JSON.parse(submit.out()),
    await here.ask("POST", greet, `{"payload":\n{"name"\n:\t${JSON.stringify(odd)}}}`),
    await here.ask("POST", greet, { payload: { name: "" } }),
  ];
  await untilStatus(here, third.id, "failed");
  assert.equal((await here.ask("GET", `/tasks/${third.id}`)).error, "There is nobody to greet");
  assert.deepEqual((await here.ask("GET", `/tasks/${first.id}`)).result, { greeting: "Hello, Ada!" });
  assert.deepEqual((await here.ask("GET", `/tasks/${second.id}`)).result, { greeting: `Hello, ${odd}!` });
  worker.kill("SIGTERM");
  assert.equal(await worker.ended, 0, worker.out());
  assert.equal((await here.ask("GET", "/workers")).total, 0);
});

test("the first request of the guide to running a server can be typed as it stands", { skip: noCurl }, async () => {
  const [first = ""] = shellBlocks(readDocument("docs/guides/operate.md"));
  const typed = here.type(first);
  assert.equal(await typed.ended, 0, typed.out());
  assert.deepEqual(JSON.parse(typed.out()).items, []);
});

test("the guide to a worker in any language can be typed as it stands", { skip: noCurl }, async () => {
  const typed = here.type(shellBlocks(readDocument("docs/guides/any-language.md")).join("\n"));
  assert.equal(await typed.ended, 0, typed.out());
  assert.match(typed.out(), /"status":"completed".*"result":\{"number": 42\}/);
  assert.match(typed.out(), /"task\.submitted".*"task\.claimed".*"task\.started".*"task\.completed"/);
});

test("the Python worker counts, stops counting when it is cancelled, and says goodbye", {
  skip: noPython || noCurl,
}, async () => {
  const worker = here.type(pythonWorker, { BEAT_SECONDS: "0.2" });
  await until("it is there", () => worker.out().startsWith("worker "), 10_000);
  const submit = here.type(pythonSubmit);
  assert.equal(await submit.ended, 0, submit.out());
  const counted = /"id":"([^"]+)"/.exec(submit.out())?.[1];
  await until("it has counted", () => worker.out().includes(`task ${counted} completed`), 10_000);
  assert.deepEqual((await here.ask("GET", `/tasks/${counted}`)).result, { primes: 1229 });

  const endless = await here.ask("POST", primes, { payload: { below: 10 ** 12 } });
  await untilStatus(here, endless.id, "running");
  await here.ask("POST", `/tasks/${endless.id}/cancel`);
  await until("it heard of the cancel", () => worker.out().includes(`task ${endless.id} was cancelled`), 10_000);

  // An integer to the schema, a float to Python.
  const failing = await here.ask("POST", primes, { payload: { below: 10 ** 30 }, retry: { maxAttempts: 1 } });
  await untilStatus(here, failing.id, "failed");
  assert.equal((await here.ask("GET", `/tasks/${failing.id}`)).error_code, "TypeError");

  const last = await here.ask("POST", primes, { payload: { below: 100_000 } });
  await untilStatus(here, last.id, "running");
  worker.kill("SIGTERM");
  assert.equal(await worker.ended, 0, worker.out());
  assert.deepEqual((await here.ask("GET", `/tasks/${last.id}`)).result, { primes: 9592 });
  assert.equal((await here.ask("GET", "/workers")).total, 0);
});

test("a Python worker that was asleep too long comes back as a new one, and what it held is done by another", {
  skip: noPython,
}, async () => {
  const strict = await place(["--worker-timeout-seconds", "2"]);
  const sleeper = strict.type(pythonWorker, { BEAT_SECONDS: "0.3" });
  await until("the first is there", () => sleeper.out().startsWith("worker "), 10_000);
  const { id } = await strict.ask("POST", primes, { payload: { below: 10 ** 12 } });
  await untilStatus(strict, id, "running");
  sleeper.kill("SIGSTOP");
  const other = strict.type(pythonWorker, { BEAT_SECONDS: "0.3" });
  await until("the other has the task", async () => (await strict.ask("GET", `/tasks/${id}`)).attempt === 2, 15_000);
  sleeper.kill("SIGCONT");
  await until("the first is back", () => sleeper.out().includes("as a new worker\nworker "), 10_000);
  await untilStatus(strict, id, "running");
  assert.equal((await strict.ask("GET", `/tasks/${id}`)).attempt, 2);
  await strict.ask("POST", `/tasks/${id}/cancel`);
  for (const worker of [sleeper, other]) {
    worker.kill("SIGTERM");
    assert.equal(await worker.ended, 0, worker.out());
  }
  assert.equal(await strict.server.stop(), 0);
});

test("a Python worker goes on where it was after its server was killed and started again", {
  skip: noPython,
}, async () => {
  const first = await place();
  const worker = first.type(pythonWorker);
  await until("it is there", () => worker.out().startsWith("worker "), 10_000);
  await first.server.stop("SIGKILL");
  await until("it has noticed", () => worker.out().includes("trying again"), 10_000);
  const again = await serve(["--data", first.data, "--port", new URL(first.server.url).port]);
  const { id } = await first.ask("POST", primes, { payload: { below: 100 } });
  // Its pauses have grown with the time that the start took.
  await untilStatus(first, id, "completed", 40_000);
  assert.equal(worker.out().match(/^worker /gm)?.length, 1, worker.out());
  worker.kill("SIGTERM");
  assert.equal(await worker.ended, 0, worker.out());
  assert.equal(await again.stop(), 0);
});

async function untilStatus({ ask }: Place, id: string, status: string, limitMs = 15_000): Promise<void> {
  await until(`task ${id} is ${status}`, async () => (await ask("GET", `/tasks/${id}`)).status === status, limitMs);
}
