import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { after, test } from "node:test";
import { systemClock } from "../../server/system.ts";
import { until } from "../../testing/until.ts";
import { type KeptProcess, keptProcess, pauseMs } from "./kept-process.ts";
import { prefixedLines } from "./prefixed-lines.ts";

const children: number[] = [];
after(() => {
  for (const pid of children) process.kill(pid, "SIGKILL");
});

/** A program with a child that outlives it, and holds its output open. */
function aParent(then: string) {
  const lines: string[] = [];
  const deaths: string[] = [];
  const nobody = `spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "inherit", detached: true })`;
  const program = `const { spawn } = require("node:child_process"); console.log(${nobody}.pid); ${then}`;
  const heard = (line: string): void => {
    lines.push(line);
    if (/^\d+$/.test(line)) children.push(Number(line));
  };
  const kept: KeptProcess = keptProcess({
    begin() {
      const child: ChildProcess = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "pipe"] });
      if (child.stdout !== null) prefixedLines(child.stdout, () => {}, heard);
      return child;
    },
    now: systemClock().now,
    died: (how) => void deaths.push(how),
    isHopeless: () => false,
    refused() {},
  });
  kept.start();
  return { kept, lines, deaths };
}

test("one that died is missed although its child holds its output open, and its last words are heard", async () => {
  const { kept, lines, deaths } = aParent('process.stdout.write("the end", () => process.exit(7));');
  await until("it is missed", () => deaths.length > 0, 20_000);
  assert.deepEqual(deaths, ["code 7"]);
  await until("its last words are heard", () => lines[1] === "the end");
  assert.equal(await kept.stop(1_000), 0);
});

test("one that is stopped has ended although its child holds its output open", async () => {
  const { kept, lines } = aParent("setInterval(() => {}, 1e6);");
  await until("it runs", () => lines.length === 1, 20_000);
  assert.equal(await kept.stop(10_000), "SIGTERM");
});

test("the pause before a process is started again doubles from a second to half a minute", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 60].map(pauseMs), [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});
