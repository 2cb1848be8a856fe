import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const leadhand = fileURLToPath(new URL("../../../bin/leadhand.js", import.meta.url));

function run(args: string[], env: Record<string, string> = {}): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [leadhand, "config", ...args], {
    env,
    encoding: "utf8",
  });
  return { code: status, out: stdout, err: stderr };
}

test("each setting is listed with its value and where it came from", () => {
  const { code, out } = run(["--port", "80"], { WORKER_UNREACHABLE_THRESHOLD_MS: "60000" });
  assert.equal(code, 0);
  assert.match(out, /^ {2}LEADHAND_HOST +127\.0\.0\.1 +default$/m);
  assert.match(out, /^ {2}LEADHAND_PORT +80 +--port$/m);
  assert.match(out, /^ {2}LEADHAND_WORKER_UNREACHABLE_THRESHOLD_MS +60000 +WORKER_UNREACHABLE_THRESHOLD_MS$/m);
  assert.match(out, /OFFLINE_THRESHOLD_MS +180000 +follows LEADHAND_WORKER_UNREACHABLE_THRESHOLD_MS$/m);
});

test("secrets are hidden, in the text and in the JSON", () => {
  const environment = { DATABASE_URL: "postgres://me:hunter2@host/db", LEADHAND_JWT_SECRET: "hunter2" };
  const text = run([], environment);
  const json = run(["--json"], environment);
  assert.doesNotMatch(text.out + json.out, /hunter2/);
  assert.match(text.out, /postgres:\/\/me:\*\*\*@host\/db/);
  const listed = JSON.parse(json.out) as { variable: string; value: unknown; flag: string; origin: string }[];
  const byVariable = new Map(listed.map((each) => [each.variable, each]));
  assert.equal(byVariable.get("LEADHAND_JWT_SECRET")?.value, "***");
  assert.equal(byVariable.get("LEADHAND_DATABASE_LISTEN_URL")?.value, null);
  assert.deepEqual(byVariable.get("LEADHAND_PORT"), {
    name: "port",
    variable: "LEADHAND_PORT",
    flag: "--port",
    value: 7070,
    origin: "default",
  });
});

test("everything that is wrong is said at once, with exit code 2", () => {
  const { code, out, err } = run(["--port", "x"], { LEADHAND_BATCH_MAX: "0" });
  assert.equal(code, 2);
  assert.equal(out, "");
  assert.match(err, /--port: "x"/);
  assert.match(err, /LEADHAND_BATCH_MAX: "0"/);
});

test("an unknown flag is exit code 2, help is not", () => {
  const unknown = run(["--prot", "80"]);
  assert.equal(unknown.code, 2);
  assert.match(unknown.err, /--prot/);
  const help = run(["--help"]);
  assert.equal(help.code, 0);
  assert.match(help.out, /^Usage: leadhand config/);
});
