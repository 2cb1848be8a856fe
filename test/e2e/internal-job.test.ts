import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../src/testing/until.ts";
import { readDocument, shellBlocks } from "../shell-blocks.ts";
import { missing, place } from "./shell.ts";

const noCurl = missing("curl");
const [start = "", submit = ""] = shellBlocks(readDocument("examples/internal-job/README.md"));
const file = fileURLToPath(new URL("../../examples/internal-job/jobs.mjs", import.meta.url));
const here = await place(["--internal", file]);

test("the example of an internal job does what its README says", { skip: noCurl }, async () => {
  assert.equal(start.trim(), "npx leadhand serve --internal examples/internal-job/jobs.mjs");
  const typed = here.type(submit);
  assert.equal(await typed.ended, 0, typed.out());
  assert.match(typed.out(), /"status":"completed".*"result":\{"words":8\},"error_details":null,"may":\{[^}]*\}\}$/);
});

test("the job that grinds tells how far it is, and stops when it is cancelled", async () => {
  const grind = "/rooms/lab/tasks/@internal:analysis:Grind";
  const { id } = await here.ask("POST", grind, { payload: { rounds: 100_000 } });
  await until(
    "it tells how far it is",
    async () => (await here.ask("GET", `/tasks/${id}`)).progress?.current > 1,
    10_000,
  );
  await here.ask("POST", `/tasks/${id}/cancel`);
  const short = await here.ask("POST", grind, { payload: { rounds: 1 } });
  await until(
    "a short one is done",
    async () => (await here.ask("GET", `/tasks/${short.id}`)).status === "completed",
    10_000,
  );
  assert.match((await here.ask("GET", `/tasks/${short.id}`)).result.hash, /^[0-9a-f]{64}$/);
  assert.equal((await here.ask("GET", `/tasks/${id}`)).status, "cancelled");
  assert.equal(await here.server.stop(), 0);
});
