import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { commandScene, rotate } from "./command-scene.ts";

const { command, admin, worker, caller } = await commandScene();
const folder = mkdtempSync(join(tmpdir(), "leadhand-specs-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const number = { type: "object", properties: { n: { type: "number" } } };

test("specs of a file are registered together, and what changes is told", async () => {
  const one = file("one.json", { id: "one", schema: {} });
  const made = await command("specs", "push", one);
  assert.deepEqual([made.code, made.out], [0, "created     one\n"]);
  const many = file("many.json", {
    specs: [
      { id: "one", schema: {} },
      { id: "two", schema: number },
    ],
  });
  assert.equal((await command("specs", "push", many)).out, "unchanged   one\ncreated     two\n");
  const list = file("list.json", [{ id: "two", schema: { ...number, required: ["n"] } }]);
  const dry = await command("specs", "push", list, "--dry-run");
  assert.deepEqual([dry.code, dry.out], [0, "breaking    two\n  ! /schema/required: 'n' is required now\n"]);
  const [json, shown, listed] = await Promise.all([
    command("specs", "push", list, "--dry-run", "--json"),
    command("specs", "show", "two"),
    command("specs", "list", "--room", "@global"),
  ]);
  assert.equal(JSON.parse(json.out).items[0].change.kind, "breaking");
  assert.match(shown.out, /^job +@global:specs:two$/m);
  assert.doesNotMatch(shown.out, /required/, "a dry run registers nothing");
  assert.match(listed.out, /^SPEC +SOURCE +CHECKSUM +SINCE\n/);
  assert.match(listed.out, /^two +explicit +sha256:[0-9a-f]{12} /m);
  assert.match(listed.out, new RegExp(`^${rotate} +worker `, "m"));
});

test("a pipeline ends with code 3 where a change is breaking, and registers nothing", async () => {
  const before = file("before.json", { id: "strict", schema: number });
  await command("specs", "push", before);
  const mixed = file("mixed.json", [
    { id: "strict", schema: { ...number, required: ["n"] } },
    { id: "beside", schema: {} },
  ]);
  const [refused, compared] = [
    await command("specs", "push", mixed, "--fail-on-breaking"),
    await command("specs", "diff", mixed, "--fail-on-breaking"),
  ];
  assert.deepEqual([refused.code, compared.code], [3, 3]);
  assert.equal(refused.out, "breaking    strict\n  ! /schema/required: 'n' is required now\n");
  assert.equal(refused.err, "leadhand specs: nothing was registered\n");
  assert.equal((await admin.get("/specs/beside")).status, 404);
  assert.equal((await command("specs", "diff", before, "--fail-on-breaking")).code, 0);
  assert.equal((await command("specs", "push", mixed)).code, 0);
  assert.equal((await admin.get("/specs/beside")).status, 200);
});

test("the file that workers run is a file of specs, with the checksum that they announce", async () => {
  const jobs = file(
    "jobs.ts",
    `import { job } from "leadhand";
     export const jobs = [job("lab:modifiers:Typed", { input: ${JSON.stringify(number)}, queue: "slow" }, async () => 1)];`,
  );
  const { code, out, err } = await command("specs", "push", jobs);
  assert.deepEqual([code, out], [0, "created     lab:modifiers:Typed\n"], err);
  const joined = await admin.put("/rooms/lab/jobs", { category: "modifiers", name: "Typed", schema: number });
  assert.equal(joined.status, 200);
  const { queue, policy } = (await admin.get("/specs/lab:modifiers:Typed")).body;
  assert.deepEqual([queue, policy], ["slow", { onWorkerLost: "requeue" }]);
});

test("versions tell who is given tasks, and why nobody is", async () => {
  const fine = await command("jobs", "versions", rotate);
  assert.match(fine.out, /^runnable +yes$/m);
  assert.match(fine.out, new RegExp(`^sha256:\\S+ +yes +1 +${worker}$`, "m"));
  await command("specs", "push", file("rotate.json", { id: rotate, schema: {} }));
  const [gated, json, slip] = await Promise.all([
    command("jobs", "versions", rotate),
    command("jobs", "versions", rotate, "--json"),
    command("jobs", "versions", "@global:modifiers:Rotat"),
  ]);
  assert.match(gated.out, /^runnable +no: 1 worker announces another checksum: sha256:/m);
  assert.match(gated.out, new RegExp(`^sha256:\\S+ +no +1 +${worker}$`, "m"));
  assert.equal(JSON.parse(json.out).runnable, false);
  assert.equal(slip.code, 1);
  assert.match(slip.err, /Did you mean "@global:modifiers:Rotate"/);
});

test("what is wrong with a command or a file is told before anything is asked", async () => {
  const { token } = await caller("ada");
  const [word, none, absent, broken, faults, forbidden, refused] = await Promise.all([
    command("specs", "pull"),
    command("specs", "push"),
    command("specs", "push", join(folder, "absent.json")),
    command("specs", "push", file("broken.json", "{")),
    command("specs", "push", file("faults.json", [{ id: "", schema: {} }, { id: "x" }, 3])),
    command("specs", "push", file("fine.json", { id: "fine", schema: {} }), "--token", token),
    command("specs", "push", file("bad.json", { id: "bad", schema: { minimum: "x" } })),
  ]);
  assert.deepEqual([word.code, none.code, absent.code, broken.code, faults.code], [2, 2, 2, 2, 2]);
  assert.match(word.err, /"pull" is not list, show, push or diff/);
  assert.match(none.err, /FILE is missing/);
  assert.match(faults.err, /spec 1 has no id\n.*spec 2 has no schema that is an object\n.*spec 3 is not an object/);
  assert.deepEqual([forbidden.code, refused.code], [1, 1]);
  assert.match(forbidden.err, /\(forbidden, 403\)/);
  assert.match(refused.err, /\/specs\/0\/schema\/minimum: /);
});
