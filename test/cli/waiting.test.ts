// Commands that wait for the end of a task, and what they say meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { commandScene, rotate } from "./command-scene.ts";

const { started, take, admin, command } = await commandScene();

const payload = '{"angle": 90}';

function lines(text: string): unknown[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("--wait prints the result alone, and ends well when the task did", async () => {
  const waiting = started("submit", rotate, payload, "--wait");
  await (await take()).end("completed", { result: { ok: true } });
  assert.equal(await waiting.ended, 0);
  assert.deepEqual(JSON.parse(waiting.out()), { ok: true });
  assert.match(waiting.err(), /^leadhand submit: submitted \S{36}\nleadhand submit: completed after /);
});

test("a task that failed is exit code 3 with its error, one that was cancelled 4", async () => {
  const failing = started("submit", rotate, payload, "--wait");
  await (await take()).end("failed", { error: "no\u001b[2J disk", error_code: "ENOSPC" });
  assert.equal(await failing.ended, 3);
  assert.equal(failing.out(), "");
  assert.match(failing.err(), /failed after .*, attempt 1: no\?\[2J disk \(ENOSPC\)\n$/);
  const json = started("submit", rotate, payload, "--wait", "--json");
  await admin.post(`/tasks/${(await take()).id}/cancel`);
  assert.equal(await json.ended, 4);
  assert.equal(JSON.parse(json.out()).status, "cancelled");
});

test("--follow tells states, progress and log lines as they come, and the result in the end", async () => {
  const following = started("submit", rotate, payload, "--follow");
  const task = await take();
  await until("the start is told", () => following.err().includes("running, attempt 1 on worker"), 10_000);
  await task.log("half way\u0007");
  await until("the line is told", () => following.err().includes("info  half way?"), 10_000);
  await task.progress(5, 10, "rotating");
  await until("progress is told", () => following.err().includes("50% 5/10 rotating"), 10_000);
  await task.log("last words", "warn");
  await task.end("completed", { result: [1, 2] });
  assert.equal(await following.ended, 0);
  assert.deepEqual(JSON.parse(following.out()), [1, 2]);
  assert.match(following.err(), /warn {2}last words\n(.*\n)*leadhand submit: completed after .*\n$/);
});

test("--follow --json is a line for each thing that happens, the last with the task as it ended", async () => {
  const following = started("submit", rotate, payload, "--follow", "--json");
  const task = await take();
  await task.log("one line");
  await task.end("completed", { result: null });
  assert.equal(await following.ended, 0);
  assert.equal(following.err(), "");
  const all = lines(following.out()) as { task?: { status: string }; log?: { message: string } }[];
  assert.equal(all.at(-1)?.task?.status, "completed");
  assert.deepEqual(
    all.flatMap(({ log }) => log?.message ?? []),
    ["one line"],
  );
});

test("Ctrl-C ends the wait with 130, and the task goes on", async () => {
  for (const flag of ["--wait", "--follow"]) {
    const waiting = started("submit", rotate, payload, flag);
    const task = await take();
    await until("it has begun to wait", () => waiting.err().includes(task.id), 10_000);
    waiting.child.kill("SIGINT");
    assert.equal(await waiting.ended, 130);
    assert.match(waiting.err(), new RegExp(`task ${task.id} goes on`));
    assert.equal((await admin.get(`/tasks/${task.id}`)).body.status, "running");
    await task.end("completed", { result: null });
  }
});

test("a line of the log that is an event is told by its name and its fields", async () => {
  const { body } = await admin.post(`/rooms/lab/tasks/${rotate}`, { payload: { angle: 1 } });
  const task = await take();
  await task.event("load.began");
  await task.event("load.read", { message: "The file is there", fields: { bytes: 31_000_000, name: "\u001b[31m" } });
  const following = started("logs", body.id, "-f");
  await until("both are printed", () => following.out().includes("there"), 10_000);
  await task.end("completed", { result: null });
  assert.equal(await following.ended, 0);
  const { out } = await command("logs", body.id);
  assert.equal(out, following.out());
  assert.deepEqual(
    out.split("\n").map((line) => line.replace(/^\S+ /, "")),
    ["info  load.began", 'info  load.read The file is there {"bytes":31000000,"name":"\\u001b[31m"}', ""],
  );
});

test("logs -f prints each line once, until the task has ended; without -f what is there", async () => {
  const { body } = await admin.post(`/rooms/lab/tasks/${rotate}`, { payload: { angle: 1 }, logs: { level: "debug" } });
  const task = await take();
  await task.log("first");
  const following = started("logs", body.id, "-f");
  await until("what was there is printed", () => following.out().includes("first"), 10_000);
  await task.log("second", "debug");
  await until("what came is printed", () => following.out().includes("second"), 10_000);
  await task.log("third", "error");
  await task.end("failed", { error: "enough" });
  assert.equal(await following.ended, 0);
  const said = following.out().trim().split("\n");
  assert.deepEqual(
    said.map((line) => line.replace(/^\S+ /, "")),
    ["info  first", "debug second", "error third"],
  );
  assert.match(following.err(), /is failed\n$/);
  const [worse, json] = [started("logs", body.id, "--level", "warn"), started("logs", body.id, "--json")];
  assert.deepEqual([await worse.ended, await json.ended], [0, 0]);
  assert.match(worse.out(), /^\S+ error third\n$/);
  assert.deepEqual(
    lines(json.out()).map((line) => (line as { message: string }).message),
    ["first", "second", "third"],
  );
});
