import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { run, temporaryFolder } from "../leadhand-process.ts";
import { commandScene, rotate } from "./command-scene.ts";

const { command, withInput, admin, environment } = await commandScene();

async function pendingIds(): Promise<string[]> {
  return (await admin.get("/tasks?status=pending&limit=500")).body.items.map(({ id }: { id: string }) => id);
}

test("a submitted task is answered with its id alone, and is on the server as it was given", async () => {
  const payload = '{"angle": 1.50, "big": 12345678901234567890}';
  const flags = ["--room", "lab", "--priority", "7", "--queue", "slow", "--delay", "2h", "--attempts", "4"];
  const { code, out, err } = await command("submit", rotate, payload, ...flags);
  assert.deepEqual([code, err], [0, ""]);
  const id = out.trim();
  const { text, body } = await admin.get(`/tasks/${id}`);
  assert.match(text, /"payload":\{"angle": 1\.50, "big": 12345678901234567890\}/, "numbers keep their digits");
  assert.deepEqual([body.room_id, body.priority, body.queue], ["lab", 7, "slow"]);
  const delay = Date.parse(body.run_at) - Date.parse(body.created_at);
  assert.ok(Math.abs(delay - 7_200_000) < 1_000, `${delay}`);
  await admin.post(`/tasks/${id}/cancel`);
});

test("a payload may come from a file or from standard input, and --json prints the task as the server has it", async () => {
  const file = join(await temporaryFolder(), "payload.json");
  writeFileSync(file, '{\n  "angle": 45.0\n}\n');
  const [fromFile, fromInput] = await Promise.all([
    command("submit", rotate, `@${file}`, "--json"),
    withInput('{"angle": 46.0}', "submit", rotate, "-", "--json"),
  ]);
  assert.equal(fromFile.out.trim().split("\n").length, 1, "one line, however the payload was written");
  assert.match(fromFile.out, /"angle": 45\.0/);
  assert.equal(JSON.parse(fromFile.out).room_id, "@global", "the job's own room unless said");
  assert.match(fromInput.out, /"angle": 46\.0/);
});

test("the same key is the same task", async () => {
  const submit = () => command("submit", rotate, '{"angle": 1}', "--idempotency-key", "once");
  const [first, second] = [await submit(), await submit()];
  assert.equal(first.code, 0);
  assert.equal(first.out, second.out);
});

test("what the server refuses is told field by field, and for programs as JSON", async () => {
  const before = await pendingIds();
  const [told, json] = await Promise.all([
    command("submit", rotate, '{"angle": "much"}'),
    command("submit", rotate, '{"angle": "much"}', "--json"),
  ]);
  assert.deepEqual([told.code, told.out], [1, ""]);
  assert.match(told.err, /^leadhand submit: .*\(invalid-request, 422\)\n {2}\/payload\/angle: must be number\n$/);
  assert.deepEqual([json.code, json.out], [1, ""]);
  const { code, status, errors } = JSON.parse(json.err);
  assert.deepEqual([code, status, errors[0].pointer], ["invalid-request", 422, "/payload/angle"]);
  assert.deepEqual(await pendingIds(), before);
});

test("a job that is not there is refused with the one that was probably meant", async () => {
  const [slip, short, strange] = await Promise.all([
    command("submit", "@global:modifiers:Rotat", "{}"),
    command("submit", "rotate"),
    command("submit", "lab:analysis:Something"),
  ]);
  for (const { code, err } of [slip, short]) {
    assert.equal(code, 1);
    assert.match(err, /Did you mean "@global:modifiers:Rotate"\? \(job-not-found, 404\)/);
  }
  assert.match(strange.err, /`leadhand jobs` lists those that there are/);
});

test("a command line that is wrong is exit code 2, and nothing is asked", async () => {
  const nobody = { ...environment, LEADHAND_URL: "http://127.0.0.1:1" };
  const wrong: [RegExp, ...string[]][] = [
    [/^leadhand submit: JOB is missing; `leadhand submit --help` says what it takes\n$/],
    [/"third" is one word too many/, rotate, "{}", "third"],
    [/--follow waits too/, rotate, "{}", "--wait", "--follow"],
    [/--rom is no option of it, did you mean --room\? /, rotate, "--rom", "lab"],
  ];
  await Promise.all(
    wrong.map(async ([says, ...args]) => {
      const { code, out, err } = await run(["submit", ...args], nobody);
      assert.deepEqual([code, out], [2, ""], err);
      assert.match(err, says);
    }),
  );
});
