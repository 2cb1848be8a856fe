// Following a task: its progress and its log, as they are written, at whatever server.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { type Caller, restScene } from "../rest/scene.ts";
import { type Connected, connect, register, submit } from "./scene.ts";

const { url, admin, caller } = await restScene();

/** A task that runs, and what its worker says of it. */
async function running(who: Caller, room: string, name: string) {
  const { job, worker } = await register(who, room, name);
  const id = await submit(who, room, job);
  const { body } = await who.post("/tasks/claim", { worker_id: worker });
  const { lease_token } = body.task;
  await who.patch(`/tasks/${id}`, { status: "running", lease_token });
  const said = async (path: string, words: object): Promise<void> => {
    const { status, text } = await who.post(`/tasks/${id}/${path}`, { ...words, lease_token });
    assert.ok(status < 300, text);
  };
  return {
    id,
    progress: (current: number) => said("progress", { current, total: 9, message: "at it" }),
    log: (...messages: string[]) => said("logs", { lines: messages.map((message) => ({ level: "info", message })) }),
    end: () => who.patch(`/tasks/${id}`, { status: "completed", lease_token }),
  };
}

function messages(following: Connected): string[] {
  return following.of("task_log").flatMap(({ lines }) => lines.map(({ message }: { message: string }) => message));
}

const logged = (message: string) => (data: { lines: { message: string }[] }) =>
  data.lines.some((line) => line.message === message);

test("whoever follows a task is told its progress and its log, and nobody else is", async () => {
  const [following, watching] = [await connect(url, admin), await connect(url, admin)];
  await watching.ask("feed_join");
  const task = await running(admin, "lab", "Follow");
  await task.log("before");
  assert.deepEqual(await following.ask("task_follow", { task_id: task.id.toUpperCase() }), { ok: true });
  await following.hears("task_log", logged("before"));
  await task.log("one", "two");
  await task.progress(3);
  const { version, ...told } = await following.hears("task_progress");
  assert.deepEqual(told, { id: task.id, room_id: "lab", progress: { current: 3, total: 9, message: "at it" } });
  await following.hears("task_log", logged("two"));
  await task.end();
  const ended = await watching.hears("task_status_event", ({ id, status }) => id === task.id && status === "completed");
  assert.ok(version < ended.version);
  assert.deepEqual(messages(following), ["before", "one", "two"], "each line once");
  const { body: page } = await admin.get(`/tasks/${task.id}/logs`);
  for (const { task_id, from, lines } of following.of("task_log")) {
    assert.equal(task_id, task.id);
    assert.deepEqual(lines, page.items.slice(from, from + lines.length), "a line is at its offset");
  }
  assert.deepEqual([...watching.of("task_progress"), ...watching.of("task_log")], []);
});

test("who has stopped following hears no more", async () => {
  const [left, control] = [await connect(url, admin), await connect(url, admin)];
  const task = await running(admin, "lab", "Left");
  for (const each of [left, control]) await each.ask("task_follow", { task_id: task.id });
  assert.deepEqual(await left.ask("task_unfollow", { task_id: task.id }), { ok: true });
  await task.log("after");
  await control.hears("task_log", logged("after"));
  await left.ask("task_unfollow", { task_id: task.id });
  assert.deepEqual(messages(left), []);
});

test("a task that is not there, or is out of sight, is followed by nobody", async () => {
  const task = await running(admin, "hidden", "Secret");
  const stranger = await connect(url, await caller("eve", { role: "viewer", rooms: ["lab"] }));
  for (const task_id of [task.id, randomUUID()]) {
    const { ok, problem } = await stranger.ask("task_follow", { task_id });
    assert.deepEqual([ok, problem.type], [false, "/v1/problems/task-not-found"]);
  }
  const { problem } = await stranger.ask("task_follow", { task_id: "none" });
  assert.equal(problem.errors[0].pointer, "/task_id");
});

test("one connection follows a hundred tasks, and no more", async () => {
  const { job } = await register(admin, "lab", "Many");
  const tasks = Array.from({ length: 101 }, () => ({ job }));
  const { items } = (await admin.post("/rooms/lab/tasks", { tasks })).body;
  const following = await connect(url, admin);
  const [last, ...others] = items.map(({ id }: { id: string }) => id);
  for (const task_id of others) assert.equal((await following.ask("task_follow", { task_id })).ok, true);
  assert.equal((await following.ask("task_follow", { task_id: last })).problem.status, 429);
  await following.ask("task_unfollow", { task_id: others[0] });
  assert.equal((await following.ask("task_follow", { task_id: last })).ok, true);
});

test("what a task tells at one server is told to those who follow it at the other", withPostgres, async () => {
  const flags = { "database-url": await freshDatabase() };
  const here = await restScene(flags);
  const there = await restScene({ ...flags, data: here.data });
  const task = await running(here.admin, "lab", "Apart");
  const following = await connect(there.url, there.admin);
  await following.ask("task_follow", { task_id: task.id });
  await task.log("one");
  await task.progress(1);
  await following.hears("task_log", logged("one"));
  await following.hears("task_progress", ({ progress }) => progress.current === 1);
});
