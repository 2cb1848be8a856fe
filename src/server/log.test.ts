import assert from "node:assert/strict";
import { test } from "node:test";
import { type ServerLogOptions, serverLog } from "./log.ts";

function recorded(options: Partial<ServerLogOptions> = {}) {
  const lines: string[] = [];
  const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678) };
  const log = serverLog({ level: "info", format: "json", clock, write: (line) => void lines.push(line), ...options });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line)) };
}

test("a line is JSON with time, level, message and fields", () => {
  const { log, parsed } = recorded({ always: { node: "n1" } });
  log.info("Started", { port: 7070 });
  log.warn("Careful");
  assert.deepEqual(parsed(), [
    { level: "info", time: "2026-01-02T03:04:05.678Z", node: "n1", port: 7070, message: "Started" },
    { level: "warn", time: "2026-01-02T03:04:05.678Z", node: "n1", message: "Careful" },
  ]);
});

test("less important lines are left out", () => {
  const { log, lines } = recorded({ level: "error" });
  log.debug("a");
  log.info("b");
  log.warn("c");
  assert.equal(lines.length, 0);
  log.error("d");
  assert.equal(lines.length, 1);
  const silent = recorded({ level: "silent" });
  silent.log.error("e");
  assert.equal(silent.lines.length, 0);
});

test("a secret never reaches the log", () => {
  const { log, lines } = recorded();
  const error = new Error("cannot connect to postgres://me:hunter2@db/x");
  log.error("Failed with postgres://me:hunter2@db/x", { error, token: "hunter2", deep: { authorization: "hunter2" } });
  assert.doesNotMatch(lines.join(""), /hunter2/);
  assert.match(lines.join(""), /postgres:\/\/me:\*\*\*@db\/x/);
});

test("text for people has the fields behind the sentence and the stack below", async () => {
  const { log, lines } = recorded({ format: "text" });
  log.warn("The bus dropped messages", { count: 3, topic: "room:a", why: "too many" });
  log.error("Failed", { error: new Error("broken") });
  assert.equal(lines[0], '03:04:05.678 warn  The bus dropped messages count=3 topic=room:a why="too many"\n');
  assert.match(lines[1] as string, /^03:04:05\.678 error Failed error=broken\nError: broken\n {4}at .*\n/);
  await log.flush();
});
