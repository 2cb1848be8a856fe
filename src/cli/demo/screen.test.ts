import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskAnswer } from "../answers.ts";
import { noPaint } from "../paint.ts";
import { textWidth } from "../text-width.ts";
import { plainLines } from "./plain-lines.ts";
import { type Rows, taskRows } from "./rows.ts";
import { type Screen, screenLines } from "./screen.ts";
import { terminal } from "./terminal.ts";
import { commandsToTry } from "./texts.ts";
import { type View, watching } from "./watching.ts";

const now = Date.parse("2026-11-15T20:00:10.000Z");
const at = (second: number): string => new Date(now - 10_000 + second * 1_000).toISOString();

function aTask(words: Partial<TaskAnswer>): TaskAnswer {
  return {
    ...{ id: "01a1e0fb-c38f-7000-9282-341d4ad636bd", job_name: "demo:operations:render-video", room_id: "demo" },
    ...{ status: "pending", created_at: at(0), started_at: null, completed_at: null, worker_id: null, error: null },
    ...{
      payload: {},
      queue_position: null,
      queue_position_exact: null,
      waiting: null,
      queue: "default",
      priority: 0,
      run_at: null,
      labels: {},
      retry: null,
      timeout_seconds: null,
    },
    ...{ attempt: 0, losses: 0, parent_id: null, retry_of: null, submitter: null, progress: null, children: null },
    ...{ result: null, error_code: null, error_details: null },
    ...words,
  };
}

const ended = (id: string, second: number): TaskAnswer =>
  aTask({ id, status: "completed", started_at: at(0), completed_at: at(second) });
const running = (id: string): TaskAnswer => aTask({ id, status: "running", started_at: at(0), attempt: 1 });
const ids = (rows: Rows, tasks: readonly TaskAnswer[], count: number) =>
  rows.place(tasks, count).map((task) => task?.id ?? null);

test("a task keeps its row until another needs one; then the one that ended first goes", () => {
  const rows = taskRows();
  assert.deepEqual(ids(rows, [running("1"), running("2")], 3), ["1", "2", null]);
  const later = [ended("1", 2), ended("2", 1), running("3")];
  assert.deepEqual(ids(rows, later, 3), ["1", "2", "3"]);
  assert.deepEqual(ids(rows, [...later, aTask({ id: "4" })], 3), ["1", "4", "3"]);
});

test("where all rows have open tasks others wait, and those in a worker's hands come first", () => {
  const rows = taskRows();
  const tasks = [aTask({ id: "1" }), aTask({ id: "2" }), running("3")];
  assert.deepEqual(ids(rows, tasks, 2), ["3", "1"]);
  assert.deepEqual(ids(rows, tasks, 2), ["3", "1"]);
});

test("an ended task that gave up its row does not come back", () => {
  const rows = taskRows();
  assert.deepEqual(ids(rows, [ended("1", 1)], 1), ["1"]);
  assert.deepEqual(ids(rows, [ended("1", 1), running("2")], 1), ["2"]);
  assert.deepEqual(ids(rows, [ended("1", 1), running("2")], 2), ["2", null]);
});

const counts = {
  submitted: 12_345,
  pending: 12,
  running: 6,
  completed: 12_000,
  retried: 321,
  failed: 99,
  cancelled: 7,
};
const worker: View["workers"][number] = {
  ...({ id: "w", door: "rest", profile: "rest", state: "ONLINE", name: null, hostname: null } as const),
  ...{ last_heartbeat: at(9.6), seen_at: at(9.6), job_count: 4 },
  ...{ os: null, version: null, labels: {}, capacity: 1, held: 1, paused: false, draining: false, deaf: false },
  ...{ blocked_ms: null, status: { cpuPercent: null, ramBytes: null, loopLagMs: null } },
  ...{ pause: null, drain: null, concurrency_limit: null, may: { operate: true } },
};
const view: View = {
  tasks: [
    aTask({ ...running("1"), worker_id: "w", progress: { current: 12, total: 40, message: "frame 12" } }),
    aTask({ id: "2", status: "failed", error: "The address does not exist", completed_at: at(9), attempt: 1 }),
    aTask({ id: "3", attempt: 1, run_at: at(10.7) }),
  ],
  workers: ["demo-1", "demo-2"].map((name) => ({ ...worker, id: name === "demo-1" ? "w" : "x", name, hostname: null })),
  counts,
  perSecond: 4.25,
};
const screen: Screen = {
  ...{
    width: 80,
    height: 24,
    url: "http://127.0.0.1:40123",
    seconds: 75,
    ending: "Ctrl-C ends it",
    now,
    paint: noPaint,
  },
  dashboard: `http://127.0.0.1:40123/ui/#code=lhc_${"x".repeat(43)}`,
  commands: commandsToTry("http://127.0.0.1:40123", "/tmp/leadhand-demo-a1B2c3", "linux"),
};

test("a screen is as high as the terminal, and no line of it is wider", () => {
  for (const [width, height] of [
    [80, 24],
    [120, 40],
    [200, 60],
  ] as const) {
    const { lines, whole } = screenLines({ ...screen, width, height }, view, taskRows());
    assert.equal(lines.length + whole.length, height, `${width}x${height}`);
    for (const line of [...lines, ...whole]) assert.ok(textWidth(line) <= width, line);
  }
});

test("it says what came of the tasks, how far each is, when workers beat, and what to type", () => {
  const { lines, whole } = screenLines(screen, view, taskRows());
  const text = lines.join("\n");
  assert.match(text, /^ leadhand {2}a server at http:\/\/127\.0\.0\.1:40123 +1:15 {2}Ctrl-C ends it$/m);
  assert.match(text, /^ 12,345 +12 +6 +12,000 +321 +99 +7 +4\.[23]$/m);
  assert.match(text, /^ 1 +render-video {2}running {4}█+░+ {2}30% {2}frame 12/m);
  assert.match(text, /failed {5}The address does not exist/);
  assert.match(text, /pending {4}try 2 in 700 ms/);
  assert.match(text, /^ demo-1 +ONLINE +holds ●○○ +♥ last beat 0\.4 s ago$/m);
  assert.match(text, /^ demo-2 +ONLINE +holds ○○○ /m);
  assert.ok(whole.includes(` ${screen.dashboard}`), whole.join("\n"));
  assert.ok(whole.includes("   export LEADHAND_DATA=/tmp/leadhand-demo-a1B2c3"), whole.join("\n"));
});

test("commands that are longer than a line take two, and where there is no room for them tasks come first", () => {
  const commands = ["x".repeat(100), "y"];
  const long = screenLines({ ...screen, commands }, view, taskRows());
  assert.equal(long.lines.length + long.whole.length, 23);
  const low = screenLines({ ...screen, height: 14 }, view, taskRows());
  assert.deepEqual([low.lines.length, low.whole.at(-1)], [11, ` ${screen.dashboard}`], "the link stays longest");
  const lowest = screenLines({ ...screen, height: 12 }, view, taskRows());
  assert.deepEqual([lowest.lines.length, lowest.whole], [12, []]);
});

test("a folder with a blank in its name is quoted, and PowerShell has its own words", () => {
  assert.equal(commandsToTry("http://x", "/tmp/it's here", "darwin")[1], `export LEADHAND_DATA='/tmp/it'\\''s here'`);
  assert.equal(commandsToTry("http://x", "C:\\demo", "win32")[1], '$env:LEADHAND_DATA = "C:\\demo"');
});

test("without a terminal there is a line for each move, and none while nothing moves", () => {
  const lines = plainLines();
  assert.equal(lines.of(view, now, now - 1_500).length, 3);
  assert.deepEqual(lines.of(view, now, now), []);
  const further = aTask({ ...running("1"), progress: { current: 20, total: 40, message: "frame 20" } });
  const [line] = lines.of({ ...view, tasks: [further] }, now, now - 2_000);
  assert.equal(line, "  2.0 s  1  render-video  running    50%  frame 20");
});

test("a terminal gets its old screen back once, however often it is left", () => {
  let written = "";
  const write = (text: string): boolean => {
    written += text;
    return true;
  };
  const out = { columns: 80, rows: 24, write };
  const drawn = terminal(out as never);
  drawn.draw({ lines: ["one", "two"], whole: ["three"] });
  assert.ok(written.includes("one\u001b[K\r\ntwo\u001b[K\r\n\u001b[?7hthree"));
  drawn.leave();
  drawn.leave();
  drawn.draw({ lines: ["late"], whole: [] });
  assert.equal(written.split("\u001b[?1049l").length, 2);
  assert.ok(written.endsWith("\u001b[?1049l"));
});

test("each task is counted once, by its end; what ended before is not counted, and lost workers are no retries", async () => {
  const byId = new Map<string, TaskAnswer>([["0", ended("0", 1)]]);
  let listed = ["0"];
  const request = async (_: string, path: string) => {
    const [, id] = /^\/tasks\/(.+)$/.exec(path) ?? [];
    if (id !== undefined) return { body: byId.get(id) };
    return { body: { items: path.startsWith("/workers") ? [] : listed.map((each) => byId.get(each)) } };
  };
  const watch = watching({ request } as never, () => now);
  assert.equal((await watch.look()).counts.submitted, 0);
  byId
    .set("1", running("1"))
    .set("2", aTask({ ...running("2"), attempt: 2, losses: 1 }))
    .set("3", aTask({ id: "3" }));
  listed = ["0", "1", "2", "3"];
  assert.deepEqual((await watch.look()).counts, {
    ...{ submitted: 3, pending: 1, running: 2, completed: 0, retried: 0, failed: 0, cancelled: 0 },
  });
  // The first two are too old for the list by now.
  listed = ["3"];
  byId.set("1", { ...ended("1", 2), attempt: 3 });
  for (const _ of [1, 2]) {
    const { counts: seen } = await watch.look();
    assert.deepEqual([seen.submitted, seen.running, seen.completed, seen.retried], [3, 1, 1, 2]);
  }
});
