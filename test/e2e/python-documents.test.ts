// The documents' worker examples in the language they were written in.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { environmentVariable } from "../../src/server/config.ts";
import { until } from "../../src/testing/until.ts";
import { readDocument, shellBlocks } from "../shell-blocks.ts";
import { missing, type Place, place } from "./shell.ts";

const [, , autoServe = "", manual = "", submit = ""] = shellBlocks(readDocument("examples/python-worker/README.md"));
const withSocketIo = environmentVariable("LEADHAND_TEST_PYTHON");
const noProgram = missing("python3", "curl");
const tasks = "/rooms/lab/tasks/@global:modifiers:Rotate";
const job = "/rooms/@global/jobs/@global:modifiers:Rotate";

let here: Place;
before(async () => {
  here = await place();
});

async function taskWith(status: string, id: string) {
  await until(`it is ${status}`, async () => (await here.ask("GET", `/tasks/${id}`)).status === status, 10_000);
  return here.ask("GET", `/tasks/${id}`);
}

/** It has just looked for tasks, and would look again in two seconds. */
async function isWoken(): Promise<void> {
  const { id } = await here.ask("POST", tasks, { payload: { angle: 1_000 } });
  const { created_at, started_at } = await taskWith("failed", id);
  assert.ok(Date.parse(started_at) - Date.parse(created_at) < 1_500);
}

for (const socket of ["without", "with"] as const) {
  const noSocketIo = withSocketIo === undefined && "LEADHAND_TEST_PYTHON is not set";
  const skip = noProgram || (socket === "with" && noSocketIo);
  const start = (commands: string) =>
    socket === "without"
      ? here.type(commands)
      : here.type(commands.replace("python3", withSocketIo as string), { WITH_SOCKET: "1" });

  for (const [mode, commands] of Object.entries({ "auto-serve": autoServe, manual })) {
    test(`the documents' Python worker does its tasks in ${mode} mode, ${socket} Socket.IO`, { skip }, async () => {
      const worker = start(commands.replace("python3 ", "exec python3 "));
      await until("it is registered", async () => (await here.ask("GET", job)).workers?.length > 0, 10_000);
      const asked = here.type(submit);
      assert.equal(await asked.ended, 0, asked.out());
      const failing = await here.ask("POST", tasks, { payload: { angle: 400 } });
      const last = await here.ask("POST", tasks, { payload: {} });
      await taskWith("completed", JSON.parse(asked.out()).id);
      assert.equal((await taskWith("failed", failing.id)).error, "400 is more than once around");
      await taskWith("completed", last.id);
      assert.equal((await here.ask("POST", tasks, { payload: { angle: "left" } })).status, 422);
      if (socket === "with") await isWoken();

      worker.kill("SIGINT");
      const end = await worker.ended;
      assert.match(worker.out(), /^rotated by 90\nrotated by 0\.0\n/);
      // As the documents write it, Ctrl-C is Python's own there, and the `with` says goodbye.
      if (mode === "manual") assert.match(worker.out(), /KeyboardInterrupt\n$/);
      else assert.deepEqual([end, worker.out()], [0, "rotated by 90\nrotated by 0.0\n"]);
      assert.equal((await here.ask("GET", "/workers")).total, 0);
    });
  }
}

test("a Python worker that was given up says so, and ends", { skip: noProgram }, async () => {
  const worker = here.type(autoServe);
  await until("it is registered", async () => (await here.ask("GET", job)).workers?.length > 0, 10_000);
  for (const { id } of (await here.ask("GET", "/workers")).items) await here.ask("DELETE", `/workers/${id}`);
  assert.equal(await worker.ended, 1);
  assert.match(worker.out(), /the manager stops: 404 /);
});
