// `leadhand up` as a user starts it: a server and workers, as processes of one command.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { SignJWT } from "jose";
import { until } from "../../src/testing/until.ts";
import { leadhand, run, temporaryFolder } from "../leadhand-process.ts";

const jobs = `
import { job } from "leadhand";
export const jobs = [
  job("@global:modifiers:Pid", {}, () => ({ pid: process.pid })),
  job("@global:modifiers:Die", {}, (task) => (task.attempt === 1 ? process.exit(7) : {})),
];
`;

test("a server and its workers start together, one that dies is started again, and all stop together", async () => {
  const data = await temporaryFolder();
  const file = join(data, "jobs.ts");
  await writeFile(file, jobs);
  const up = leadhand(["up", file, "2", "--port", "0", "--data", data]);
  await until("all are there", () => up.err().includes("with 2 workers"), 30_000);
  assert.match(up.err(), /leadhand up: LEADHAND_AMQP_URL is not set: all jobs are done by workers over \/work\n/);
  const url = /^server \| leadhand ready (http\S+)$/m.exec(up.out())?.[1] as string;
  const submit = (name: string) =>
    run(["submit", `@global:modifiers:${name}`, "{}", "--url", url, "--data", data, "--wait", "--json"]);
  // Until a worker has registered the job there is none.
  await until("a task is done", async () => (await submit("Pid")).code === 0, 20_000);
  await run(["submit", "@global:modifiers:Die", "{}", "--url", url, "--data", data]);
  await until(
    "one has died",
    () => /leadhand up: worker\.\d ended \(code 7\); it is started again/.test(up.err()),
    20_000,
  );
  const { code, out } = await submit("Pid");
  assert.equal(code, 0);
  const { pid } = JSON.parse(out).result as { pid: number };
  up.child.kill("SIGTERM");
  assert.equal(await up.ended, 0, up.err());
  assert.throws(() => process.kill(pid, 0), /ESRCH/);
  await assert.rejects(fetch(url));
});

test("all of them end with whoever started them, also when that is killed; and no command line has a password", async () => {
  const data = await temporaryFolder();
  const file = join(data, "jobs.ts");
  await writeFile(file, jobs);
  const up = leadhand(["up", file, "--port", "0", "--data", data, "--jwt-secret", secret]);
  await until("all are there", () => up.err().includes("with 1 worker"), 30_000);
  const children = childrenOf(up.child.pid as number);
  assert.equal(children.length, 2, "a server and a worker");
  for (const { line } of children) assert.ok(!line.includes(secret), line);
  // The server has got it all the same.
  const url = /^server \| leadhand ready (http\S+)$/m.exec(up.out())?.[1] as string;
  const claims = { sub: "ada", su: true, exp: 4_102_444_800 };
  const token = await new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret));
  const me = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(me.status, 200);
  up.child.kill("SIGKILL");
  assert.equal(await up.ended, "SIGKILL");
  await until("nobody is left", () => children.every(({ pid }) => isGone(pid)), 10_000);
  await assert.rejects(fetch(url));
});

test("one whose launcher was killed before it had begun does not begin", async () => {
  const gone = leadhand(["version"]);
  assert.equal(await gone.ended, 0);
  assert.equal((await run(["version"], { LAUNCHED_BY_LEADHAND: `${gone.child.pid}` })).code, "SIGKILL");
  // One further up, which is still there, is none of its business.
  assert.equal((await run(["version"], { LAUNCHED_BY_LEADHAND: `${process.ppid}` })).code, 0);
});

const secret = "a-secret-that-is-long-enough-for-hs256";

interface Child {
  readonly pid: number;
  /** The command line, as everybody sees it. */
  readonly line: string;
}

function childrenOf(parent: number): readonly Child[] {
  return readdirSync("/proc").flatMap((name): Child[] => {
    try {
      // The name of its program stands in brackets, and may be anything.
      const [, ppid] = /^\d+ \(.*\) \S (\d+) /s.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      if (Number(ppid) !== parent) return [];
      return [{ pid: Number(name), line: readFileSync(`/proc/${name}/cmdline`, "utf8") }];
    } catch {
      // It is no process, or none any more.
      return [];
    }
  });
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

test("a file that cannot be used, and a server that does not start, end the command with a word", async () => {
  const data = await temporaryFolder();
  const file = join(data, "jobs.ts");
  const missing = await run(["up", file]);
  assert.equal(missing.code, 2);
  assert.match(missing.err, /leadhand up: .*jobs\.ts: there is no such file/);
  await writeFile(file, jobs);
  const many = await run(["up", file, "many"]);
  assert.deepEqual([many.code, many.err], [2, 'leadhand up: N is "many"; it has to be from 1 to 64\n']);
  const nowhere = await run(["up", file, "--port", "0", "--data", file]);
  assert.equal(nowhere.code, 1, nowhere.err);
  assert.match(nowhere.err, /leadhand up: server cannot be started\n/);
});
