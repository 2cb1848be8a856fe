import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskChange } from "../../dashboard/src/live/task-change.ts";
import type { TaskItem, TaskPage } from "../../dashboard/src/pages/tasks/task-item.ts";
import { TaskPages } from "../../dashboard/src/pages/tasks/task-pages.ts";
import { until } from "../../src/testing/until.ts";

const pageRows = 100;

function item(nth: number, change: Partial<TaskItem> = {}): TaskItem {
  const id = `01993d6c-0000-7000-8000-${String(nth).padStart(12, "0")}`;
  return { id, status: "pending", error: null, worker_id: null, ...change } as TaskItem;
}

function changeOf(task: TaskItem, status: string, version = 2): TaskChange {
  return { ...task, name: "", status, version } as unknown as TaskChange;
}

/** A server with tasks 0 to n - 1, the newest first, but for those without id; a cursor is the number of the last one that was given. */
function server(n: number) {
  const state = { tasks: Array.from({ length: n }, (_, nth) => item(nth)), asked: 0, scanned: null as string | null };
  async function fetch(cursor: string | null): Promise<TaskPage> {
    state.asked += 1;
    const older = state.tasks.filter(({ id }, nth) => id !== "" && nth < Number(cursor ?? Infinity)).toReversed();
    const items = older.slice(0, pageRows);
    const last = state.tasks.findIndex(({ id }) => id === items.at(-1)?.id);
    return { items, next_cursor: last > 0 ? String(last) : null, scanned_through: state.scanned };
  }
  return { state, pages: new TaskPages(fetch) };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

test("a list grows as one goes down, and each task is in it once, in order", async () => {
  const { pages } = server(350);
  pages.start();
  await settled();
  assert.equal(pages.view().rows, 100);
  while (pages.view().more !== "none") {
    pages.show(pages.view().rows - 20, pages.view().rows - 1);
    await settled();
  }
  const ids = Array.from({ length: pages.view().rows }, (_, row) => pages.rowAt(row)?.id ?? "");
  assert.equal(ids.length, 350);
  assert.deepEqual(ids, [...new Set(ids)].toSorted().toReversed());
});

test("of a long list some thousand rows are kept, and those that were let go come back where they were", async () => {
  const { pages, state } = server(10_000);
  pages.start();
  await settled();
  while (pages.view().more !== "none") {
    pages.show(pages.view().rows - 20, pages.view().rows - 1);
    await settled();
  }
  const kept = Array.from({ length: 10_000 }, (_, row) => pages.rowAt(row)).filter((row) => row !== undefined);
  assert.ok(kept.length <= 3_200, `${kept.length} are kept`);
  assert.equal(pages.rowAt(50), undefined);
  const asked = state.asked;
  pages.show(40, 60);
  await settled();
  assert.equal(pages.rowAt(50)?.id, item(9_949).id);
  assert.equal(pages.view().rows, 10_000);
  assert.equal(state.asked, asked + 1);
});

test("what happens to a task is written onto its row, and other rows stay the same objects", async () => {
  const { pages } = server(10);
  pages.start();
  await settled();
  const [first, second] = [pages.rowAt(0), pages.rowAt(1)];
  assert.ok(first && second);
  pages.heard([changeOf(first, "running")]);
  assert.equal(pages.rowAt(0)?.status, "running");
  assert.equal(pages.rowAt(1), second);
  await pages.look(true);
  assert.equal(pages.rowAt(1), second);
});

test("an answer that was under way when something happened does not undo it", async () => {
  const { pages, state } = server(10);
  pages.start();
  await settled();
  const task = pages.rowAt(0);
  assert.ok(task);
  const looking = pages.look(true);
  pages.heard([changeOf(task, "completed")]);
  await looking;
  assert.equal(state.tasks.at(-1)?.status, "pending");
  assert.equal(pages.rowAt(0)?.status, "completed");
});

test("an older word that comes later does not undo a newer one", async () => {
  const { pages } = server(10);
  pages.start();
  await settled();
  const task = pages.rowAt(0);
  assert.ok(task);
  pages.heard([changeOf(task, "completed", 4)]);
  pages.heard([changeOf(task, "running", 3)]);
  assert.equal(pages.rowAt(0)?.status, "completed");
});

test("a list that is come back to is where it was left, and as it is now", async () => {
  const { pages, state } = server(350);
  pages.start();
  await settled();
  pages.show(80, 99);
  await settled();
  const rows = pages.view().rows;
  const [near, far] = [pages.rowAt(90)?.id, pages.rowAt(150)?.id];
  pages.leave();
  state.tasks = state.tasks.map((task) => ({ ...task, status: "completed" }));
  for (let nth = 350; nth < 410; nth += 1) state.tasks.push(item(nth));
  pages.start();
  await pages.look(false);
  pages.show(110, 150);
  await settled();
  assert.equal(pages.view().rows, rows);
  assert.equal(pages.view().fresh, 60);
  assert.equal(pages.rowAt(90)?.id, near);
  assert.equal(pages.rowAt(10)?.status, "completed");
  assert.deepEqual([pages.rowAt(150)?.id, pages.rowAt(150)?.status], [far, "completed"]);
});

test("pages below the first are asked for again where we were not told everything, and no row goes meanwhile", async () => {
  const { pages, state } = server(350);
  pages.start();
  await settled();
  pages.show(80, 99);
  await settled();
  pages.show(110, 150);
  await settled();
  const far = pages.rowAt(150);
  state.tasks = state.tasks.map((task) => ({ ...task, status: "completed" }));
  pages.missed();
  assert.equal(pages.rowAt(150), far);
  await settled();
  assert.deepEqual([pages.rowAt(150)?.id, pages.rowAt(150)?.status], [far?.id, "completed"]);
});

test("an end whose rows are fewer by now goes on below, and each task is in the list once", async () => {
  const { pages, state } = server(350);
  pages.start();
  await settled();
  pages.show(80, 99);
  await settled();
  pages.leave();
  state.tasks = state.tasks.map((task, nth) => (nth % 3 === 0 && nth < 250 ? { ...task, id: "" } : task));
  pages.start();
  pages.show(180, 199);
  await settled();
  while (pages.view().more !== "none") {
    pages.show(pages.view().rows - 20, pages.view().rows - 1);
    await settled();
  }
  const ids = Array.from({ length: pages.view().rows }, (_, row) => pages.rowAt(row)?.id ?? "");
  assert.deepEqual(ids, [...new Set(ids)].toSorted().toReversed());
  assert.equal(ids.length, state.tasks.filter(({ id }) => id !== "").length);
});

test("whoever wants to see what is new while it is counted is shown it after that", async () => {
  const { pages, state } = server(50);
  pages.start();
  await settled();
  state.tasks.push(item(50));
  const counting = pages.look(false);
  void pages.look(true);
  await counting;
  await settled();
  assert.equal(pages.rowAt(0)?.id, item(50).id);
  assert.equal(pages.view().fresh, 0);
});

test("a first page that was let go and is out of reach by now leaves no hole in the list", async () => {
  const { pages, state } = server(3_000);
  pages.start();
  await settled();
  while (pages.view().more !== "none") {
    pages.show(pages.view().rows - 20, pages.view().rows - 1);
    await settled();
  }
  assert.equal(pages.rowAt(50), undefined);
  for (let nth = 3_000; nth < 3_150; nth += 1) state.tasks.push(item(nth));
  pages.show(40, 60);
  await settled();
  while (pages.view().more !== "none") {
    pages.show(pages.view().rows - 20, pages.view().rows - 1);
    await settled();
  }
  assert.equal(pages.view().rows, 3_150);
});

test("new tasks appear on top for whoever follows, and are only counted for others", async () => {
  const { pages, state } = server(150);
  pages.start();
  await settled();
  state.tasks.push(item(150), item(151));
  await pages.look(false);
  assert.equal(pages.view().fresh, 2);
  assert.equal(pages.rowAt(0)?.id, item(149).id);
  await pages.look(true);
  assert.equal(pages.view().fresh, 0);
  assert.equal(pages.rowAt(0)?.id, item(151).id);
});

test("a search that was cut short goes on only when somebody says so", async () => {
  const { pages, state } = server(150);
  state.scanned = "2026-11-03T00:00:00.000Z";
  pages.start();
  await settled();
  assert.equal(pages.view().more, "ask");
  pages.show(80, 99);
  await settled();
  assert.equal(state.asked, 1);
  await pages.goOn();
  assert.equal(pages.view().rows, 150);
  await pages.look(true);
  assert.equal(pages.view().rows, 150, "what was found is not forgotten");
});

test("a search that has found nothing yet goes on by itself, for a while", async () => {
  const [rare, enough] = [item(7), 20];
  let asked = 0;
  const searching = (foundAt: number) =>
    new TaskPages(async () => {
      asked += 1;
      const items = asked === foundAt ? [rare] : [];
      return { items, next_cursor: `${asked}`, scanned_through: "2026-11-03T00:00:00.000Z" };
    });

  const pages = searching(5);
  pages.start();
  await until("something was found", () => pages.view().rows === 1);
  await settled();
  assert.equal(asked, 5, "what was found is shown, and the rest asked for");
  assert.equal(pages.view().more, "ask");

  asked = 0;
  const vain = searching(Number.POSITIVE_INFINITY);
  vain.start();
  await until("it asks whether to go on", () => vain.view().more === "ask");
  await settled();
  assert.equal(asked, enough);
});
