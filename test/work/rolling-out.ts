// A rolling deploy with a breaking change while 500 tasks are submitted each second: no task reaches a worker that was not
// written for what was registered when it was assigned, and none is lost. What counts is read from the database's own
// history, and compared with what the workers heard.

import assert from "node:assert/strict";
import { systemClock } from "../../src/server/system.ts";
import { until } from "../../src/testing/until.ts";
import type { RestScene } from "../rest/scene.ts";
import { checksumOf, connected, type Message, registration, succeeded } from "./raw-worker.ts";

export const id = "print";
const job = `@global:specs:${id}`;
/** Neither admits a payload of the other. */
export const versions = {
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

export interface Stage {
  /** On one database. Old workers are connected to the first server, new ones to the last, where the new spec is pushed. */
  readonly servers: readonly [RestScene, ...RestScene[]];
  /** Of a superuser. */
  readonly token: string;
  query(sql: string): Promise<Message[]> | Message[];
}

export interface Assigned {
  readonly task: string;
  readonly attempt: number;
  readonly by: Version;
  readonly checksum: string;
}

/** A worker of this version that is busy with each task for a moment, and tells of several together. */
export async function hire({ servers, token }: Stage, by: Version, heard: Assigned[], queues = ["default", "night"]) {
  const { url } = servers.at(by === "old" ? 0 : -1) as RestScene;
  const worker = await connected(url, token);
  const places = 20;
  let running: Message[] = [];
  let [seen, unsure, draining] = [0, 0, false];

  worker.listen((message) => {
    if (message.type === "assignment") {
      seen = message.seq;
      running.push(message.job);
      heard.push({ task: message.job.id, attempt: message.job.attempt, by, checksum: message.job.spec.checksum });
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

interface Submitted {
  readonly payload: Version;
  readonly askedAt: number;
}

/** Submits by the clock, each time with what fits what is registered, as far as is known. */
function submitters({ servers, token }: Stage) {
  const tasks = new Map<string, Submitted>();
  const failures: unknown[] = [];
  const startedAt = clock.now();
  let [asked, payload]: [number, Version] = [0, "old"];

  async function submit(words: object = {}): Promise<void> {
    const [said, askedAt] = [payload, clock.now()];
    const one = { job, payload: versions[said].payload, ...words };
    const server = servers[(asked / together) % servers.length] as RestScene;
    const bulk = { token, body: JSON.stringify({ tasks: Array(together).fill(one) }) };
    const { status, body, text } = await server.send("POST", "/v1/rooms/lab/tasks", bulk);
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

/** Answers what waits in the end, because the new schema refuses it, and the workers that are still there. */
export async function rollOut(stage: Stage) {
  const { servers, query } = stage;
  const [first, last] = [servers[0], servers.at(-1) as RestScene];
  const put = (server: RestScene, { schema }: { readonly schema: object }) =>
    server.send("PUT", `/v1/specs/${id}`, { token: stage.token, body: JSON.stringify({ schema }) });
  assert.equal((await put(first, versions.old)).status, 201);
  const heard: Assigned[] = [];
  const old = await Promise.all(["a", "b", "c"].map(() => hire(stage, "old", heard, ["default"])));
  const load = submitters(stage);
  // Accepted by the old schema, and for nobody before the new workers are there.
  await load.submit({ queue: "night" });

  await load.more(1_000);
  const young = [await hire(stage, "new", heard), await hire(stage, "new", heard)];
  await load.more(800);
  const pushAskedAt = clock.now();
  const pushed = await put(last, versions.new);
  const pushedAt = clock.now();
  assert.equal(pushed.body.change.kind, "breaking", pushed.text);
  for (const [count, worker] of old.entries()) {
    await load.more(200);
    await worker.drain();
    if (count < 2) young.push(await hire(stage, "new", heard));
  }
  await load.more(400);
  load.stop();
  const inAll = load.asked() + together;
  await until("all are accepted", () => load.tasks.size + load.failures.length >= inAll, 30_000);
  assert.deepEqual(load.failures, []);
  const open = async () => query("select id, run_at from open_task");
  await until("all others are done", async () => (await open()).every(({ run_at }) => run_at !== null), 30_000);
  const waiting = (await open()).map(({ id: task }) => task as string);
  await judge(stage, { ...{ heard, waiting, pushAskedAt, pushedAt }, tasks: load.tasks });
  return { waiting, young };
}

interface Story {
  readonly heard: readonly Assigned[];
  readonly waiting: readonly string[];
  readonly pushAskedAt: number;
  readonly pushedAt: number;
  readonly tasks: ReadonlyMap<string, Submitted>;
}

async function judge({ servers, token, query }: Stage, { heard, waiting, pushAskedAt, pushedAt, tasks }: Story) {
  const taskOf = (task: string) => tasks.get(task) ?? assert.fail(task);
  assert.ok(waiting.length >= together, `${waiting.length} wait`);
  for (const task of waiting) {
    const { status, waiting: why } = (await servers[0].send("GET", `/v1/tasks/${task}`, { token })).body;
    assert.deepEqual([taskOf(task).payload, status], ["old", "pending"]);
    assert.match(why, /refuses its payload/);
  }

  const events = await query("select task, attempt, at from task_event where type = 'task.assigned'");
  const assignedAt = new Map(events.map(({ task, attempt, at }) => [`${task} ${attempt}`, Number(at)]));
  const wrong = heard.filter(({ task, attempt, by }) => {
    const at = assignedAt.get(`${task} ${attempt}`) ?? assert.fail(task);
    const isAfter = at > pushedAt || taskOf(task).askedAt > pushedAt;
    return by === "old" ? isAfter : at < pushAskedAt;
  });
  assert.deepEqual(wrong, []);
  for (const { task, by, checksum } of heard) {
    assert.deepEqual([checksum, taskOf(task).payload], [checksumOf(versions[by].schema), by], task);
  }

  // Each once: nothing was lost, nothing ran twice.
  const done = tasks.size - waiting.length;
  assert.deepEqual([heard.length, new Set(heard.map(({ task }) => task)).size], [done, done]);
  assert.equal((await query("select task from outcome where state = 'completed'")).length, done);
  assert.deepEqual(await query("select task from task_event where type = 'task.lost'"), []);
  assert.ok(heard.filter(({ by }) => by === "new").length > 500);
}
