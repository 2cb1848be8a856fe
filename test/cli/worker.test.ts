import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { leadhand, run, temporaryFolder } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";
import { history } from "../rest/workshop.ts";

const folder = await temporaryFolder();
const environment = { LEADHAND_URL: "http://127.0.0.1:7070", LEADHAND_TOKEN: "lh_x" };

test("a file that cannot be used is told with all its mistakes, before any server is asked", async () => {
  const file = join(folder, "jobs.ts");
  writeFileSync(file, 'export const jobs: unknown[] = [{ name: "Rotate", options: {}, handler: 7 as number }];\n');
  const { code, out, err } = await run(["worker", file], environment);
  assert.deepEqual([code, out], [2, ""]);
  assert.equal(
    err,
    `leadhand worker: ${file}: jobs[0] is named "Rotate", which is not room:category:name\n` +
      `${file}: jobs[0]: the handler is a number, not a function\n`,
  );
});

test("a worker without a file, without a token or with a strange number is refused", async () => {
  const [file, token, number] = await Promise.all([
    run(["worker"], environment),
    run(["worker", "jobs.ts"], { LEADHAND_DATA: folder }),
    run(["worker", "jobs.ts", "--concurrency", "0"], environment),
  ]);
  assert.deepEqual([file.code, token.code, number.code], [2, 2, 2]);
  assert.match(file.err, /FILE is missing/);
  assert.match(token.err, /There is no token \(none: .*admin-token is not there/);
  assert.match(number.err, /--concurrency: "0" is not a whole number from 1 to 1000/);
});

test("a job that cannot be done over a link is told by its name, without the lines of a program", async () => {
  const file = join(folder, "turn.ts");
  const turn = 'job("@global:modifiers:Turn", {}, () => null)';
  writeFileSync(file, `import { job } from "leadhand";\nexport const jobs = [${turn}];\n`);
  const { code, err } = await run(["worker", file, "--link", "fleet"], environment);
  assert.equal(code, 2);
  assert.match(err, /'@global:modifiers:Turn' is no function block: over the link "fleet" a job is named/);
  assert.doesNotMatch(err, / at /);
});

test("a worker that is signalled again hands back what it has not finished, and says goodbye", async () => {
  const { admin, url } = await restScene();
  const file = join(folder, "hang.ts");
  // Beside no installed package: it means the one that runs it.
  const hang = 'job("@global:modifiers:Hang", {}, () => new Promise(() => {}))';
  writeFileSync(file, `import { job } from "leadhand";\nexport const jobs = [${hang}];\n`);
  const { child, ended } = leadhand(["worker", file], { LEADHAND_URL: url, LEADHAND_TOKEN: admin.token });
  let id = "";
  const submitted = async () => {
    id = (await admin.post("/rooms/lab/tasks/@global:modifiers:Hang", { payload: {} })).body.id ?? "";
    return id !== "";
  };
  await until("the job is there", submitted, 30_000);
  await until("it runs", async () => (await admin.get(`/tasks/${id}`)).body.status === "running");
  child.kill("SIGTERM");
  child.kill("SIGINT");
  assert.equal(await ended, 0);
  assert.deepEqual(await history(admin, id), ["submitted", "assigned", "released"]);
});
