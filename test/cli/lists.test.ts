import assert from "node:assert/strict";
import { test } from "node:test";
import { commandScene, rotate } from "./command-scene.ts";

const { command, admin, take, worker, caller, environment } = await commandScene();

async function submit(room: string, angle: number): Promise<string> {
  return (await admin.post(`/rooms/${room}/tasks/${rotate}`, { payload: { angle } })).body.id;
}

const failed = await submit("lab", 1);
await (await take()).end("failed", { error: "no disk" });
const first = await submit("lab", 2);
const second = await submit("hall", 3);

/** The first word of each line below the head. */
function ids(out: string): string[] {
  return out
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(" ")[0] as string);
}

test("tasks are a table, newest first; filters and pages make it shorter", async () => {
  const [all, pending, inRoom, ofJob, both, page, picked] = await Promise.all([
    command("tasks"),
    command("tasks", "--status", "pending"),
    command("tasks", "--room", "lab"),
    command("tasks", "--job", rotate, "--status", "failed"),
    command("tasks", "--job", rotate, "--room", "hall"),
    command("tasks", "--limit", "1", "--offset", "1"),
    command("tasks", "--room", "lab", "--query", 'error~"NO disk"'),
  ]);
  assert.match(all.out, /^ID +STATUS +JOB +ROOM +SUBMITTED +TOOK +NOTE\n/);
  assert.match(all.out, new RegExp(`^${failed} +failed +${rotate} +lab .* no disk$`, "m"));
  assert.deepEqual(ids(all.out), [second, first, failed]);
  assert.deepEqual(ids(pending.out), [second, first]);
  assert.deepEqual(ids(inRoom.out), [first, failed]);
  assert.deepEqual(ids(ofJob.out), [failed]);
  assert.deepEqual(ids(both.out), [second]);
  assert.deepEqual(ids(page.out), [first]);
  assert.deepEqual(ids(picked.out), [failed]);
  assert.equal(page.err, "1 task more; --offset 2 goes on\n");
  assert.ok(!all.out.includes("\u001b"), "no colours where nobody looks on");
});

test("a list in JSON is the page as the server has it; an empty one is no failure", async () => {
  const [json, none] = await Promise.all([command("tasks", "--json"), command("tasks", "--status", "cancelled")]);
  assert.deepEqual(
    JSON.parse(json.out).items.map(({ id }: { id: string }) => id),
    [second, first, failed],
  );
  assert.deepEqual([none.code, none.out, none.err], [0, "", "No tasks\n"]);
});

test("one task is told with its history, also in JSON", async () => {
  const [told, json] = await Promise.all([command("tasks", failed), command("tasks", failed, "--json")]);
  assert.match(told.out, /^status +failed$/m);
  assert.match(told.out, /^submitter +admin$/m);
  assert.match(told.out, /^payload +\{"angle":1\}$/m);
  assert.match(told.out, /^error +no disk$/m);
  assert.match(told.out, /task\.submitted[\s\S]*task\.claimed[\s\S]*task\.started[\s\S]*task\.failed/);
  const { id, status, events } = JSON.parse(json.out);
  assert.deepEqual([id, status, events.at(-1).type], [failed, "failed", "task.failed"]);
});

test("what happened to a worker is a table, and one that nobody knows is refused", async () => {
  const [told, json, none, odd] = await Promise.all([
    command("workers", "events", worker),
    command("workers", "events", worker, "--json"),
    command("workers", "events", "01890000-0000-7000-8000-000000000000"),
    command("workers", "events"),
  ]);
  assert.match(told.out, /^AT +EVENT +DATA\n\S+ +worker\.registered +\{"by":"admin"\}\n$/);
  assert.equal(JSON.parse(json.out).items[0].type, "worker.registered");
  assert.deepEqual([none.code, odd.code], [1, 2]);
});

test("jobs, workers and rooms are tables, and one of them is told in full", async () => {
  const [jobs, job, workers, wide, one, rooms] = await Promise.all([
    command("jobs"),
    command("jobs", rotate),
    command("workers", "--state", "online"),
    command("workers", "--wide"),
    command("workers", worker),
    command("rooms"),
  ]);
  assert.match(jobs.out, new RegExp(`^JOB +WORKERS +PAUSED\n${rotate} +1\n$`));
  assert.match(job.out, /^tasks +2 pending, 0 running$/m);
  assert.match(job.out, /payload, by JSON Schema:\n\{\n[\s\S]*"angle"/);
  assert.match(workers.out, new RegExp(`^${worker} +ONLINE +rest +1 `, "m"));
  assert.match(wide.out, / HOST +NOTE +OS +VERSION +LAG +LABELS\n/);
  assert.match(one.out, new RegExp(`^worker +${worker}\n`));
  assert.match(one.out, new RegExp(`^JOB\n${rotate}$`, "m"));
  assert.match(rooms.out, /^ROOM +JOBS\n@global +1\n$/);
});

test("what is not there, and what can be no id, is told", async () => {
  const nobody = "00000000-0000-7000-8000-000000000000";
  const [gone, slip, state, limit] = await Promise.all([
    command("tasks", nobody),
    command("tasks", "the-first"),
    command("tasks", "--status", "done"),
    command("jobs", "--limit", "501"),
  ]);
  assert.equal(gone.code, 1);
  assert.match(gone.err, /\(task-not-found, 404\)/);
  assert.deepEqual([slip.code, state.code, limit.code], [2, 2, 2]);
  assert.match(slip.err, /"the-first" is not an id like/);
  assert.match(state.err, /--status: "done" is not pending, claimed/);
  assert.match(limit.err, /--limit: "501" is not a whole number from 0 to 500/);
});

test("cancelling takes many ids, and one that is refused does not hold up the others", async () => {
  const { code, out, err } = await command("cancel", failed, first, second);
  assert.equal(code, 1);
  assert.equal(out, `cancelled ${first}\ncancelled ${second}\n`);
  assert.match(err, /^leadhand cancel: .*\(invalid-task-transition, 409\)\n$/);
  assert.equal((await admin.get(`/tasks/${second}`)).body.status, "cancelled");
});

test("a task that has ended is run again as a new one", async () => {
  const { code, out } = await command("retry", failed);
  assert.equal(code, 0);
  const { body } = await admin.get(`/tasks/${out.trim()}`);
  assert.deepEqual([body.retry_of, body.payload], [failed, { angle: 1 }]);
  const open = await command("retry", out.trim());
  assert.equal(open.code, 1);
  assert.match(open.err, /\(task-open, 409\)/);
});

test("--verbose says which server and which token were used, and never the token", async () => {
  const { token } = await caller("ada", { role: "viewer" });
  const [file, flag] = await Promise.all([
    command("rooms", "--verbose"),
    command("submit", rotate, '{"angle": 1}', "--verbose", "--token", token),
  ]);
  assert.match(file.err, /^leadhand rooms: asking http\S+ \(LEADHAND_URL\), token \S+admin-token\n$/);
  assert.match(flag.err, /token --token\n/);
  assert.equal(flag.code, 1);
  assert.match(
    flag.err,
    /A viewer may only read \(forbidden, 403\)\n {2}`leadhand doctor` says what this token may do/,
  );
  assert.ok(!flag.err.includes(token) && !file.err.includes(environment.LEADHAND_DATA.concat("lh_")));
});
