import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { JobFileError, loadJobFile, loadJobs } from "./job-file.ts";

const folder = mkdtempSync(join(tmpdir(), "leadhand-jobs-"));
after(() => rmSync(folder, { recursive: true }));

let files = 0;

function file(text: string, ending = "mjs"): string {
  files += 1;
  const path = join(folder, `jobs-${files}.${ending}`);
  writeFileSync(path, text);
  return path;
}

async function faultsOf(path: string): Promise<readonly string[]> {
  try {
    await loadJobs(path);
  } catch (error) {
    assert.ok(error instanceof JobFileError, String(error));
    assert.ok(error.faults.every((fault) => fault.startsWith(`${path}: `)));
    return error.faults.map((fault) => fault.slice(path.length + 2));
  }
  return [];
}

const good = '{ name: "lab:modifiers:A", options: {}, handler: async () => 1 }';

test("jobs are loaded from JavaScript and from TypeScript as it is", async () => {
  assert.deepEqual(
    (await loadJobs(file(`export const jobs = [${good}];`))).map(({ name }) => name),
    ["lab:modifiers:A"],
  );
  const typed = `interface In { angle: number }\nexport const jobs = [{ name: "lab:a:b/c:d", options: {}, handler: (task: { input: In }): number => task.input.angle }];`;
  assert.equal((await loadJobs(file(typed, "mts")))[0]?.name, "lab:a:b/c:d");
});

test("each mistake is told for what it is", async () => {
  const mistakes: [string, RegExp][] = [
    ["export const job = 1;", /^does not export jobs \(it exports job\); write export const jobs = /],
    ["", /^does not export jobs \(it exports nothing\)/],
    [`export const jobs = ${good};`, /^jobs is an object, not a list/],
    ["export const jobs = [];", /^jobs is an empty list/],
    ["export const jobs = [() => 1];", /^jobs\[0\] is a function, not what job\(name, options, handler\) answers$/],
    ["export const jobs = [null];", /^jobs\[0\] is null/],
    ['import "no-such-package"; export const jobs = [];', /^something it imports is not there: .*no-such-package/],
    ["export const jobs = [", /^cannot be read: /],
    ['throw new Error("no key\\nset"); export const jobs = [];', /^failed when it was loaded: Error: no key$/],
    ['throw "text"; export const jobs = [];', /^threw "text" when it was loaded$/],
  ];
  for (const [text, says] of mistakes) {
    const faults = await faultsOf(file(text));
    assert.equal(faults.length, 1, text);
    assert.match(faults[0] as string, says);
  }
  assert.match((await faultsOf(file("enum A { B } export const jobs = [A.B];", "mts")))[0] ?? "", /such as an enum/);
  assert.match((await faultsOf(file("jobs: []", "yaml")))[0] ?? "", /^is no JavaScript or TypeScript/);
  assert.deepEqual(await faultsOf(join(folder, "none.ts")), ["there is no such file"]);
  assert.match((await faultsOf(folder))[0] ?? "", /^is a folder/);
});

test("all mistakes in a list are told at once", async () => {
  const text = `export const jobs = [${good}, ${good}, { name: "Rotate", options: {}, handler: 7 }, { name: "a:b:c", handler() {} }];`;
  assert.deepEqual(await faultsOf(file(text)), [
    'jobs[2] is named "Rotate", which is not room:category:name',
    "jobs[2]: the handler is a number, not a function",
    "jobs[3]: the options are undefined, not an object",
    '"lab:modifiers:A" is there twice',
  ]);
});

test("sessions are loaded with the jobs, where the file has some", async () => {
  const sessions = "export const sessions = { begin: () => 7, commit() {}, rollback() {} };";
  const { sessions: loaded } = await loadJobFile(file(`export const jobs = [${good}]; ${sessions}`));
  assert.equal(await loaded?.begin(), 7);
  assert.deepEqual(Object.keys(await loadJobFile(file(`export const jobs = [${good}];`))), ["jobs"]);
  assert.deepEqual(
    await faultsOf(file(`export const jobs = [${good}]; export const sessions = { begin() {}, commit: 1 };`)),
    ["sessions.commit is a number, not a function", "sessions.rollback is undefined, not a function"],
  );
  assert.deepEqual(await faultsOf(file(`export const jobs = [${good}]; export const sessions = () => 1;`)), [
    "sessions is a function, not an object with begin, commit, rollback",
  ]);
});
