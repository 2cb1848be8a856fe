// The examples as their READMEs say, in a project that has the package from npm and nothing of the clone.

import assert from "node:assert/strict";
import { globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { readPng, writePng } from "../../examples/thumbnails/png.ts";
import { until } from "../../src/testing/until.ts";
import { readDocument, shellBlocks } from "../shell-blocks.ts";
import { packed } from "./packed.ts";
import { missing, type Place, place, type Shell } from "./shell.ts";

const examples = fileURLToPath(new URL("../../examples", import.meta.url));
const noCurl = missing("curl");
const blocksOf = (example: string) => shellBlocks(readDocument(`examples/${example}/README.md`));

let here: Place;
/** Where others are at work too it takes its time. */
const packing = { timeout: 120_000 };
before(async () => {
  here = await place([], await packed(["zod", "typescript", "@types/node"]));
}, packing);

// One that was killed would be taken for alive a while longer.
afterEach(async () => {
  for (const { id } of (await here.ask("GET", "/workers")).items) await here.ask("DELETE", `/workers/${id}`);
});

async function says(shell: Shell, text: string, limitMs = 15_000): Promise<void> {
  try {
    await until(`it says ${text}`, () => shell.out().includes(text), limitMs);
  } catch (error) {
    throw new Error(shell.out(), { cause: error });
  }
}

async function taskWith(status: string, id: string) {
  await until(`it is ${status}`, async () => (await here.ask("GET", `/tasks/${id}`)).status === status, 15_000);
  return here.ask("GET", `/tasks/${id}`);
}

/** What came of an angle that is too large. */
async function rotated(angle: number) {
  // A few requests later a worker has seen that there is nothing to do.
  for (let turn = 0; turn < 5; turn += 1) await here.ask("GET", "/workers");
  const { id } = await here.ask("POST", "/rooms/lab/tasks/@global:modifiers:Rotate", { payload: { angle } });
  return taskWith("failed", id);
}

async function stops(shell: Shell): Promise<void> {
  shell.kill("SIGTERM");
  assert.equal(await shell.ended, 0, shell.out());
}

test("the hello worker greets, and what does not fit is refused by the name of its field", async () => {
  const [work = "", submit = ""] = blocksOf("hello-worker");
  const worker = here.type(work);
  await says(worker, "leadhand: ready");
  const asked = here.type(submit);
  assert.equal(await asked.ended, 0, asked.out());
  assert.equal(asked.out(), "Hello, Ada!\n");
  const refused = here.type(`${submit} 1000`);
  assert.equal(await refused.ended, 1, refused.out());
  assert.match(refused.out(), /^\/payload\/times: must be <= 10\n$/);
  await stops(worker);
  assert.match(worker.out(), /^task \S+ completed\n$/m);
});

test("thumbnails are made of real pictures, and what is no picture is skipped", async () => {
  const [draw = "", work = "", submit = ""] = blocksOf("thumbnails");
  const drawn = here.type(draw);
  assert.equal(await drawn.ended, 0, drawn.out());
  writeFileSync(join(here.folder, "pictures", "torn.png"), "no picture");
  const worker = here.type(work);
  await says(worker, "leadhand: ready");
  const asked = here.type(submit);
  assert.equal(await asked.ended, 0, asked.out());
  // Progress is told once a second, and with the end.
  assert.match(asked.out(), /^21 of 21 done$/m);
  assert.match(asked.out(), /^completed \{ made: 20, skipped: \[ 'torn\.png' \] \}$/m);
  await stops(worker);
  const small = readPng(readFileSync(join(here.folder, "pictures", "thumbnails", "picture-003.png")));
  assert.deepEqual([small.width, small.height], [64, 48]);
  const middle = (24 * 64 + 32) * 4;
  assert.deepEqual([...small.pixels.subarray(middle, middle + 4)], [201, 47, 128, 255]);
  assert.deepEqual([...small.pixels.subarray(0, 2)], [255, 255]);
});

test("Ctrl-C at the client stops the worker between two pictures", async () => {
  const PICTURES = "many";
  const [draw = "", work = "", submit = ""] = blocksOf("thumbnails");
  const drawn = here.type(draw.replace(/20$/, "1"), { PICTURES });
  assert.equal(await drawn.ended, 0, drawn.out());
  const count = 1_000;
  const picture = readFileSync(join(here.folder, PICTURES, "picture-001.png"));
  for (let number = 2; number <= count; number += 1) {
    writeFileSync(join(here.folder, PICTURES, `picture-${number}.png`), picture);
  }
  const worker = here.type(work, { PICTURES });
  await says(worker, "leadhand: ready");
  const asked = here.type(submit.replace("node ", "exec node "), { PICTURES });
  await says(asked, ` of ${count} `);
  asked.kill("SIGINT");
  assert.equal(await asked.ended, 0, asked.out());
  assert.match(asked.out(), /^cancelled /m);
  await says(worker, " dropped\n");
  const made = readdirSync(join(here.folder, PICTURES, "thumbnails")).length;
  assert.ok(made > 0 && made < count, `${made} were made`);
  await stops(worker);
});

test("a file of a folder is read with curl, through the server, and nothing outside of it", {
  skip: noCurl,
}, async () => {
  const [work = "", read = ""] = blocksOf("provider-files");
  const worker = here.type(work);
  await says(worker, "reading from ");
  const asked = here.type(read);
  assert.equal(await asked.ended, 0, asked.out());
  assert.ok(asked.out().startsWith('["README.md","leadhand.sh",'), asked.out());
  assert.ok(asked.out().endsWith(`]${readDocument("examples/curl/README.md")}`), asked.out());
  const outside = here.type(read.replace('?path=curl/README.md"', '?path=../package.json" -H "Prefer: wait=1"'));
  assert.notEqual(await outside.ended, 0);
  assert.match(outside.out(), /504/);
  await says(worker, "../package.json is not in the folder");
  await stops(worker);
});

test("the documents' worker example compiles against the package's own types", async () => {
  const [compile = ""] = blocksOf("job-manager");
  const compiled = here.type(compile);
  assert.equal(await compiled.ended, 0, compiled.out());
});

for (const mode of ["auto-serve", "manual"] as const) {
  for (const socket of ["with", "without"] as const) {
    test(`the documents' worker example runs in ${mode} mode, ${socket} Socket.IO`, { skip: noCurl }, async () => {
      const [, autoServe = "", manual = "", submit = ""] = blocksOf("job-manager");
      const how = socket === "without" ? { WITHOUT_SOCKET: "1" } : {};
      const worker = here.type(mode === "manual" ? manual : autoServe, how);
      const job = "/rooms/@global/jobs/@global:modifiers:Rotate";
      await until("it is registered", async () => (await here.ask("GET", job)).workers?.length > 0, 15_000);
      const asked = here.type(submit);
      assert.equal(await asked.ended, 0, asked.out());
      await says(worker, "rotated by 90\n");
      await taskWith("completed", JSON.parse(asked.out()).id);
      assert.equal((await rotated(400)).error, "400 is more than once around");
      // It has looked for tasks after each, and would look again in two seconds.
      for (let angle = 401; socket === "with" && angle <= 405; angle += 1) {
        const { created_at, started_at } = await rotated(angle);
        assert.ok(Date.parse(started_at) - Date.parse(created_at) < 1_500, "it was woken");
      }
      if (mode === "auto-serve") {
        await stops(worker);
      } else {
        // It listens to no signal, as the documents write it.
        worker.kill("SIGKILL");
        await worker.ended;
        for (const { id } of (await here.ask("GET", "/workers")).items) await here.ask("DELETE", `/workers/${id}`);
      }
      assert.equal((await here.ask("GET", "/workers")).total, 0);
    });
  }
}

test("what the oldest Node that we name is to run as it is has no syntax that it lacks", () => {
  const compiled = (file: string) => file.startsWith("job-manager");
  const programs = globSync("*/*.ts", { cwd: examples }).filter((file) => !compiled(file));
  const texts = programs.map((file) => readFileSync(join(examples, file), "utf8"));
  for (const text of [...texts, readDocument("docs/guides/first-job.md")]) {
    assert.doesNotMatch(text, /^\s*(?:await )?using /m);
  }
});

test("a picture is the same after it was written and read", () => {
  const pixels = Uint8Array.from({ length: 3 * 2 * 4 }, (_, at) => (at * 37) % 256);
  assert.deepEqual(readPng(writePng({ width: 3, height: 2, pixels })), { width: 3, height: 2, pixels });
});
