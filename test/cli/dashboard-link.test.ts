// The link to the dashboard that a server prints: on a terminal it signs in, anywhere else there is no secret in it.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { after, test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { leadhand, leadhandInClone, temporaryFolder } from "../leadhand-process.ts";

const hasTerminals = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
const skip = !hasTerminals && "no script(1), which lends a program a terminal";

const open: (() => void)[] = [];
after(() => {
  for (const end of open) end();
});

/** Answers what the command has printed on a terminal so far. */
async function onTerminal(args: readonly string[]): Promise<() => string> {
  const words = [process.execPath, leadhandInClone, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["--quiet", "--return", "--command", words, "/dev/null"], {
    env: { PATH: process.env["PATH"], TMPDIR: await temporaryFolder(), TERM: "xterm" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  open.push(() => child.kill());
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  return () => out;
}

async function follow(link: string): Promise<Response> {
  const [url, code] = link.split("/ui/#code=") as [string, string];
  assert.match(await (await fetch(`${url}/ui/`)).text(), /Leadhand/);
  return fetch(`${url}/v1/session`, { method: "POST", body: JSON.stringify({ code }) });
}

const link = /(http:\/\/127\.0\.0\.1:\d+\/ui\/#code=lhc_[\w-]{43})/;

test("on a terminal a server prints a link that signs in once", { skip }, async () => {
  const out = await onTerminal(["serve", "--port", "0", "--log-level", "debug", "--data", await temporaryFolder()]);
  await until("the link is there", () => /^dashboard http\S+\r?\n/m.test(out()), 30_000);
  const [, found] = new RegExp(`^dashboard ${link.source}\\r?$`, "m").exec(out()) as unknown as [string, string];
  const answer = await follow(found);
  assert.equal(answer.status, 200);
  assert.equal(((await answer.json()) as { role: string }).role, "admin");
  assert.equal((await follow(found)).status, 401);
});

test("a demo on a terminal shows one too", { skip }, async () => {
  const out = await onTerminal(["demo", "--for", "30s"]);
  await until("the link is there", () => link.test(out()), 30_000);
  assert.equal((await follow(link.exec(out())?.[1] as string)).status, 200);
});

test("where what is printed goes elsewhere, it holds no code", async () => {
  const TMPDIR = await temporaryFolder();
  const demo = leadhand(["demo", "--for", "1m"], { TMPDIR });
  await until("it says where it is", () => /In a second terminal/.test(demo.out()), 30_000);
  assert.match(demo.out(), /with a dashboard at http:\/\/127\.0\.0\.1:\d+\/ui\/\n/);
  assert.doesNotMatch(demo.out(), /code|lhc_/);
  demo.child.kill("SIGINT");
  await demo.ended;
});
