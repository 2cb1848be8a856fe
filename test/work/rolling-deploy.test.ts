// A rolling deploy with a breaking change while 500 tasks are submitted each second: no task reaches a worker that was not
// written for what was registered when it was assigned, and none is lost. What counts is read from the database's own
// history, and compared with what the workers heard.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { systemClock } from "../../src/server/system.ts";
import { until } from "../../src/testing/until.ts";
import { run } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";
import { checksumOf, connected, type Message, registration, succeeded } from "./raw-worker.ts";

const id = "print";
const job = `@global:specs:${id}`;
/** Neither admits a payload of the other. */
const versions = {
  old: { schema: schemaWith("n"), payload: { n: 1 } },
  new: { schema: schemaWith("pages"), payload: { pages: 1 } },
} as const;
type Version = keyof typeof versions;

function schemaWith(property: string): object {
  const properties = { [property]: { type: "integer" } };
  return { additionalProperties: false, properties, required: [property], type: "object" };
}

const perSecond = 500;
/** In one request. */
const together = 10;
const clock = systemClock();
const scene = await restScene();
const ada = await scene.caller("ada");

interface Assigned {
  readonly task: string;
  readonly by: Version;
  readonly checksum: string;
}

/** A worker of this version that is busy with each task for a moment, and tells of several together. */
async function hire(by: Version, heard: Assigned[], queues = ["default", "night"]) {
  const worker = await connected(scene.url, ada.token);
  const places = 20;
  let running: Message[] = [];
  let [seen, unsure, draining] = [0, 0, false];

  worker.listen((message) => {
    if (message.type === "assignment") {
      seen = message.seq;
      running.push(message.job);
      heard.push({ task: message.job.id, by, checksum: message.job.spec.checksum });
    } else if (message.type === "resultAck") {
      assert.equal(message.accepted, true, JSON.stringify(message));
      unsure -= 1;
    }
  });

  function tell(): void {
    const done = running;
    [running, unsure] = [[], unsure + done.length];
    const results = done.map((each) => succeeded(each, by));
    worker.beat({
      ...{ ready: draining ? 0 : places, ackedAssignment: seen, results },
      state: draining ? "draining" : "active",
    });
  }

  const specs = [{ id, checksum: checksumOf(versions[by].schema) }];
  const about = { specs, queues, capabilities: { batch: true } };
  worker.beat({ registration: registration([], about), ready: places, ackedAssignment: 0 });
  const { workerId } = await worker.hears("welcome");
  const telling = setInterval(tell, 20);
  telling.unref();

  return {
    id: workerId as string,
    async drain() {
      draining = true;
      tell();
      await until("its hands are empty", () => running.length + unsure === 0, 30_000);
      clearInterval(telling);
      worker.close(1000);
      assert.equal(await worker.ends(), 1000);
    },
  };
}

/** Submits by the clock, each time with what fits what is registered, as far as is known. */
function submitters() {
  const tasks = new Map<string, { readonly payload: Version; readonly askedAt: number }>();
  const failures: unknown[] = [];
  const startedAt = clock.now();
  let [asked, payload]: [number, Version] = [0, "old"];

  async function submit(words: object = {}): Promise<void> {
    const [said, askedAt] = [payload, clock.now()];
    const one = { job, payload: versions[said].payload, ...words };
    const { status, body, text } = await ada.post("/rooms/lab/tasks", { tasks: Array(together).fill(one) });
    if (status === 202) {
      for (const { id: task } of body.items) tasks.set(task, { payload: said, askedAt });
      return;
    }
    assert.equal(status, 422, text);
    if (payload === said) payload = said === "old" ? "new" : "old";
    await submit(words);
  }

  const pacing = setInterval(() => {
    const due = ((clock.now() - startedAt) * perSecond) / 1_000;
    for (; asked < due; asked += together) submit().catch((error) => failures.push(error));
  }, 10);
  return {
    ...{ tasks, submit, failures, asked: () => asked },
    more: (count: number, from = asked) => until(`${count} more`, () => asked >= from + count, 30_000),
    stop: () => clearInterval(pacing),
  };
}

function query(sql: string): Message[] {
  const database = new DatabaseSync(join(scene.data, "leadhand.db"), { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

test("a rolling deploy with a breaking change at 500 tasks a second: none to the wrong version, none lost", async () => {
  assert.equal((await scene.admin.put(`/specs/${id}`, { schema: versions.old.schema })).status, 201);
  const heard: Assigned[] = [];
  const old = await Promise.all(["a", "b", "c"].map(() => hire("old", heard, ["default"])));
  const load = submitters();
  // Accepted by the old schema, and for nobody before the new workers are there.
  await load.submit({ queue: "night" });

  await load.more(1_000);
  const young = [await hire("new", heard), await hire("new", heard)];
  await load.more(800);
  const pushAskedAt = clock.now();
  const pushed = await scene.admin.put(`/specs/${id}`, { schema: versions.new.schema });
  const pushedAt = clock.now();
  assert.equal(pushed.body.change.kind, "breaking", pushed.text);
  for (const [count, worker] of old.entries()) {
    await load.more(200);
    await worker.drain();
    if (count < 2) young.push(await hire("new", heard));
  }
  await load.more(400);
  load.stop();
  const inAll = load.asked() + together;
  await until("all are accepted", () => load.tasks.size + load.failures.length >= inAll, 30_000);
  assert.deepEqual(load.failures, []);
  const open = () => query("select id, run_at from open_task");
  await until("all others are done", () => open().every(({ run_at }) => run_at !== null), 30_000);

  const waiting = open().map(({ id: task }) => task as string);
  const taskOf = (task: string) => load.tasks.get(task) ?? assert.fail(task);
  assert.ok(waiting.length >= together, `${waiting.length} wait`);
  for (const task of waiting) {
    const { status, waiting: why } = (await ada.get(`/tasks/${task}`)).body;
    assert.deepEqual([taskOf(task).payload, status], ["old", "pending"]);
    assert.match(why, /refuses its payload/);
  }

  const [oldIds, newIds] = [old, young].map((workers) => new Set(workers.map((worker) => worker.id)));
  const assigned = query("select task, at, worker from task_event where type = 'task.assigned'");
  const wrong = assigned.filter(({ task, at, worker }) => {
    const isAfter = at > pushedAt || taskOf(task).askedAt > pushedAt;
    return isAfter ? oldIds?.has(worker) : at < pushAskedAt && newIds?.has(worker);
  });
  assert.deepEqual(wrong, []);
  for (const { task, by, checksum } of heard) {
    assert.deepEqual([checksum, taskOf(task).payload], [checksumOf(versions[by].schema), by], task);
  }

  // Each once: nothing was lost, nothing ran twice.
  const done = inAll - waiting.length;
  assert.deepEqual([heard.length, new Set(heard.map(({ task }) => task)).size], [done, done]);
  assert.equal(query("select task from outcome where state = 'completed'").length, done);
  assert.deepEqual(query("select task from task_event where type = 'task.lost'"), []);
  assert.ok(heard.filter(({ by }) => by === "new").length > 500);

  const file = join(scene.data, "old-spec.json");
  writeFileSync(file, JSON.stringify({ id, schema: versions.old.schema }));
  const command = await run(["specs", "push", file], { LEADHAND_URL: scene.url, LEADHAND_TOKEN: scene.admin.token });
  assert.equal(command.code, 0, command.err);
  const again: Assigned[] = [];
  const last = await hire("old", again);
  await until("what waited runs", () => open().length === 0, 30_000);
  assert.deepEqual(new Set(again.map(({ task }) => task)), new Set(waiting));
  for (const worker of [last, ...young]) await worker.drain();
});
