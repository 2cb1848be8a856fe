import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { Connection } from "rabbitmq-client";
import { assignmentQueue, type Posted, serverQueue, versionOf } from "../../src/protocol/internal/amqp.ts";
import { systemClock, systemIds } from "../../src/server/system.ts";
import { until } from "../../src/testing/until.ts";
import { silentWire } from "../chaos/sdk/silent-wire.ts";
import { amqpUrl, withRabbitmq } from "../fresh-broker.ts";
import { assignment, describedJobs, started, told } from "./amqp-stage.ts";
import { executorProcess, ownJobs } from "./executors.ts";

const url = amqpUrl as string;
const connection = amqpUrl === undefined ? null : new Connection(amqpUrl);
after(() => connection?.close());

/** Most of the time somebody is waited for who is silent. */
describe("what may go wrong between a server and its executors", { ...withRabbitmq, concurrency: 3 }, () => {
  it("an executor that is told to stop lets a handler end, and hands back one that does not", async () => {
    const file = await ownJobs();
    const executor = await executorProcess({ url, file, places: 2, graceSeconds: 3 });
    const { started: begun, ended, reports } = told();
    const made = await started({ file, places: 2 }, reports);
    const [nap, spin] = [assignment("Nap", '{"ms":500}'), assignment("Spin")];
    assert.deepEqual(await made.dispatch([nap, spin]), [true, true]);
    await until("both run", () => begun.length === 2, 10_000);
    executor.child.kill("SIGTERM");
    assert.equal(await executor.ended, 0);
    // RabbitMQ may bring its last words a moment after its end.
    await until("both ends are told", () => ended.size === 2, 10_000);
    assert.deepEqual(
      [ended.get(nap.task)?.type, ended.get(spin.task)],
      ["completed", { type: "later", delayMs: 0, checkpoint: null, reason: "shutdown" }],
    );
    await until("its places are gone", () => made.places === 0, 10_000);
  });

  it("an executor that is killed has lost what it ran, and nothing else", async () => {
    const options = { url, file: await ownJobs(), places: 1 };
    const executor = await executorProcess(options);
    const { started: begun, ended, reports } = told();
    const made = await started(options, reports);
    const one = assignment("Wait");
    assert.deepEqual(await made.dispatch([one]), [true]);
    await until("it runs", () => begun.includes(one.task), 10_000);
    executor.child.kill("SIGKILL");
    await executor.ended;
    const other = await executorProcess(options);
    await until("it is lost", () => ended.has(one.task), 20_000);
    assert.deepEqual(ended.get(one.task), { type: "lost" });
    const next = assignment("Echo");
    assert.deepEqual(await made.dispatch([next]), [true]);
    await until("the next has ended", () => ended.has(next.task), 10_000);
    assert.deepEqual(begun, [one.task, next.task]);
    other.child.kill("SIGTERM");
    assert.equal(await other.ended, 0);
  });

  it("what was in a queue that is purged is put there again", async () => {
    const options = { url, file: await ownJobs(), places: 1 };
    const executor = await executorProcess(options);
    const busy = await started(options);
    const wait = assignment("Wait");
    const { started: begun, ended, reports } = told();
    const made = await started(options, reports);
    assert.deepEqual(await busy.dispatch([wait]), [true]);
    const queue = assignmentQueue(versionOf(await describedJobs(options.file)));
    const depth = async () => (await connection?.queueDeclare({ queue, passive: true }))?.messageCount;
    await until("the executor is busy", async () => (await depth()) === 0);
    const echo = assignment("Echo");
    assert.deepEqual(await made.dispatch([echo]), [true]);
    await until("it waits", async () => (await depth()) === 1);
    assert.equal((await connection?.queuePurge(queue))?.messageCount, 1);
    busy.abort(wait, "make room");
    await until("it has ended", () => ended.has(echo.task), 20_000);
    assert.deepEqual([begun, ended.get(echo.task)?.type], [[echo.task], "completed"]);
    executor.child.kill("SIGTERM");
    assert.equal(await executor.ended, 0);
  });

  it("what RabbitMQ tells twice runs once", async () => {
    const options = { url, file: await ownJobs(), places: 3 };
    const [one, two] = await Promise.all([executorProcess(options), executorProcess(options)]);
    const id = systemIds(systemClock()).next();
    const { started: begun, ended, reports } = told();
    const made = await started({ ...options, places: 6, id }, reports);
    const nap = assignment("Snore");
    assert.deepEqual(await made.dispatch([nap]), [true]);
    const queue = assignmentQueue(versionOf(await describedJobs(options.file)));
    const posted: Posted = { server: serverQueue(id), assignment: nap };
    const publisher = connection?.createPublisher({ confirm: true });
    for (const _ of [1, 2, 3]) await publisher?.send(queue, JSON.stringify(posted));
    await until("it has ended", () => ended.has(nap.task), 10_000);
    assert.deepEqual([begun, ended.get(nap.task)], [[nap.task], { type: "completed", result: null }]);
    await publisher?.close();
    for (const executor of [one, two]) executor.child.kill("SIGTERM");
    for (const executor of [one, two]) assert.equal(await executor.ended, 0);
    assert.equal((one.err() + two.err()).split(`asleep over ${nap.task}`).length - 1, 1);
  });

  it("an assignment that RabbitMQ does not confirm was not accepted, and does not run later", async () => {
    const options = { url, file: await ownJobs(), places: 1 };
    const executor = await executorProcess(options);
    const wire = await silentWire(url);
    const { started: begun, reports } = told();
    const through = url.replace(new URL(url).host, new URL(wire.url).host);
    const made = await started({ ...options, url: through }, reports);
    wire.silence("down");
    assert.deepEqual(await made.dispatch([assignment("Echo")]), [false]);
    wire.mend();
    await until("there are places again", () => made.places === 1, 20_000);
    const next = assignment("Echo");
    await until("the next is taken", async () => (await made.dispatch([next]))[0] === true, 20_000);
    await until("it runs", () => begun.includes(next.task), 10_000);
    assert.deepEqual(begun, [next.task]);
    executor.child.kill("SIGTERM");
    assert.equal(await executor.ended, 0);
  });
});
