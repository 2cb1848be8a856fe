// The example of a worker on /work that a stranger could have written.

import assert from "node:assert/strict";
import { test } from "node:test";
import { environmentVariable } from "../../src/server/config.ts";
import { until } from "../../src/testing/until.ts";
import { serve } from "../leadhand-process.ts";
import { readDocument, shellBlocks } from "../shell-blocks.ts";
import { missing, place } from "./shell.ts";

const [register = "", work = "", submit = ""] = shellBlocks(readDocument("examples/python-worker/README.md")).slice(5);
const python = environmentVariable("LEADHAND_TEST_PYTHON");
const skip = missing("curl") || (python === undefined && "LEADHAND_TEST_PYTHON is not set");
const jobs = "/rooms/lab/tasks/@global:specs:count-words";

test("the Python worker on /work does its jobs, keeps them while its server is killed and started again, and drains", {
  skip,
}, async () => {
  const here = await place();
  const registered = here.type(register);
  assert.equal(await registered.ended, 0, registered.out());
  const worker = here.type(work.replace("python3", python as string));
  await until(
    "it is welcome",
    () => worker.out().startsWith("welcome [{'id': 'count-words', 'accepted': True}]"),
    10_000,
  );
  const asked = here.type(submit);
  assert.equal(await asked.ended, 0, asked.out());
  const { id } = JSON.parse(asked.out());
  const taskIs = (task: string, status: string) =>
    until(`it is ${status}`, async () => (await here.ask("GET", `/tasks/${task}`)).status === status, 20_000);
  await taskIs(id, "completed");
  assert.deepEqual((await here.ask("GET", `/tasks/${id}`)).result, { words: 6 });

  const long = await here.ask("POST", jobs, { payload: { text: "a b", seconds: 3 } });
  await taskIs(long.id, "running");
  await here.server.stop("SIGKILL");
  const again = await serve(["--data", here.data, "--port", new URL(here.server.url).port]);
  await until("it is back", () => worker.out().includes("resumed [{"), 20_000);
  const last = await here.ask("POST", jobs, { payload: { text: "a b c", seconds: 1 } });
  await taskIs(last.id, "running");
  worker.kill("SIGTERM");
  assert.equal(await worker.ended, 0, worker.out());
  for (const [task, words] of [
    [long, 2],
    [last, 3],
  ]) {
    const { attempt, result } = await here.ask("GET", `/tasks/${task.id}`);
    assert.deepEqual([attempt, result], [1, { words }], worker.out());
  }
  // The server hears of the end of the connection when the worker may be gone already.
  await until("nobody is listed", async () => (await here.ask("GET", "/workers")).total === 0, 5_000);
  assert.equal(await again.stop(), 0);
});
