// A server on which each test makes a reason why a task does not run, with a job of its own, and asks for that reason over
// REST and at the command line.

import assert from "node:assert/strict";
import type { Pause } from "../../src/core/pause.ts";
import { readConfig } from "../../src/server/config.ts";
import { databaseOf } from "../../src/server/database.ts";
import { type TokenStore, withTokens } from "../../src/server/token-database.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { until } from "../../src/testing/until.ts";
import { run } from "../leadhand-process.ts";
import { target } from "../push/target.ts";
import { type Reply, restScene } from "../rest/scene.ts";
import { anything, connected, registration } from "../work/raw-worker.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Loose = any;

export async function explainScene() {
  const scene = await restScene({
    ...{ "push-allow-private": "true", "worker-timeout-seconds": "600" },
    ...{ "worker-unreachable-threshold-ms": "300", "worker-offline-threshold-ms": "600000" },
  });
  const { admin, serving } = scene;
  const aimed = await target();

  function expecting(status: number, reply: Reply): Loose {
    assert.equal(reply.status, status, reply.text);
    return reply.body;
  }

  /** In the database itself, beside the server. */
  async function beside<T>(work: (store: TokenStore) => Promise<T>): Promise<T> {
    const { config } = readConfig({ environment: {}, flags: { data: scene.data } });
    return withTokens(databaseOf(config), recordedLog(), work);
  }

  const explain = async (id: string): Promise<Loose> => expecting(200, await admin.get(`/tasks/${id}/explain`));

  return {
    ...{ ...scene, aimed, expecting, beside, explain, operations: serving.operations },
    /** A job with a worker of the REST door, which asks for nothing by itself. */
    async job(name: string, { worker: about = {}, ...words }: Loose = {}): Promise<{ job: string; worker: string }> {
      const { id } = expecting(201, await admin.post("/workers", about));
      const body = { category: "modifiers", name, worker_id: id, ...words };
      expecting(201, await admin.put("/rooms/@global/jobs", body));
      return { job: `@global:modifiers:${name}`, worker: id };
    },
    /** A job that nobody has. */
    async spec(name: string, words: Loose = {}): Promise<string> {
      expecting(201, await admin.put(`/specs/${name}`, { schema: anything, ...words }));
      return `@global:specs:${name}`;
    },
    async submit(job: string, words: object = {}): Promise<string> {
      return expecting(202, await admin.post(`/rooms/@global/tasks/${job}`, { payload: {}, ...words })).id;
    },
    async claim(worker: string): Promise<Loose> {
      return expecting(200, await admin.post("/tasks/claim", { worker_id: worker })).task;
    },
    async settle(id: string, lease_token: string, ...statuses: readonly Loose[]): Promise<void> {
      for (const status of statuses) expecting(200, await admin.patch(`/tasks/${id}`, { ...status, lease_token }));
    },
    async pause(about: Pick<Pause, "kind" | "name">, words: Partial<Pause> = {}): Promise<void> {
      const pause: Pause = {
        ...about,
        by: "eve",
        note: "a flood",
        at: Date.now(),
        until: null,
        endedAt: null,
        ...words,
      };
      await beside((store) => store.amend({}, () => ({ answer: null, pauses: [pause] })));
      await serving.operations.catalog.refresh();
    },
    /** A worker on /work that beats and does what the test says. */
    async connect(spec: string, about: object = {}, beat: object = {}) {
      const worker = await connected(scene.url, admin.token);
      worker.beat({ registration: registration([spec], about), ...beat });
      const { workerId } = await worker.hears("welcome");
      return { worker, id: workerId as string };
    },
    /** What is told of a task, over REST and at the command line: the same, and that cause. */
    async tells(id: string, cause: string, sentence: RegExp): Promise<Loose> {
      await until(`task ${id} is explained by ${cause}`, async () => (await explain(id)).cause === cause, 10_000).catch(
        async () => assert.equal((await explain(id)).sentence, cause),
      );
      const told = await explain(id);
      assert.match(told.sentence, sentence);
      assert.equal(told.task_id, id);
      const environment = { LEADHAND_URL: scene.url, LEADHAND_TOKEN: admin.token };
      const ended = await run(["explain", id], environment);
      assert.equal(ended.code, 0, ended.err);
      const [first = ""] = ended.out.split("\n");
      assert.match(first, sentence);
      assert.match(ended.out, new RegExp(`^cause +${cause}$`, "m"));
      return told;
    },
  };
}
