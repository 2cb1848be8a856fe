// The coordinator of docs/guides/coordinators.md as it stands there, but for the names of its queues, which are the test's own.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Worker } from "../../src/sdk/index.ts";
import { loadJobs } from "../../src/sdk/job-file.ts";
import { offerOwnPackage } from "../../src/sdk/own-package.ts";
import { temporaryFolder } from "../leadhand-process.ts";
import { the } from "../rest/workshop.ts";
import { hire } from "../sdk/scene.ts";
import { readDocument } from "../shell-blocks.ts";
import { patiently, stage } from "./document-scene.ts";
import { amqpUrl, skip } from "./scene.ts";

test("the guide's coordinator ends when the last of its parts is stored, also where it is itself a part of another", {
  skip,
}, async () => {
  const { server, admin, jobs, batch, write, task } = await stage({ database: "sqlite" });
  const [, written = ""] = /^```ts\n([\s\S]*?)^```$/m.exec(readDocument("docs/guides/coordinators.md")) ?? [];
  const text = written
    .replaceAll('"protea.embeddings.batch"', JSON.stringify(batch))
    .replaceAll('"protea.embeddings.write"', JSON.stringify(write))
    .replaceAll('"protea.embeddings"', JSON.stringify(jobs));
  const file = join(await temporaryFolder(), "pipeline.ts");
  await writeFile(file, text);
  offerOwnPackage();
  const [embed, embedBatch, store] = await loadJobs(file);
  assert.ok(embed !== undefined && embedBatch !== undefined && store !== undefined, written);
  const all = [embed, embedBatch, store];
  const whereTo = { url: server.url, token: admin.token };
  for (const [queue, kind] of [
    [jobs, "job"],
    [batch, "operation"],
    [write, "operation"],
  ] as const) {
    const add = (worker: Worker): void => {
      for (const each of all) worker.job(each);
    };
    await hire(whereTo, add, { link: "amqp", queue, kind, amqpUrl }).start();
  }
  const family = (worker: Worker): void =>
    void worker.job("@global:operations:family", {}, async ({ id, defer }) => {
      for (const proteins of [600, 1_200]) await submitted({ payload: { proteins }, parent_id: id });
      defer({ total: 2 });
    });
  await hire(whereTo, family).start();

  const path = "/rooms/@global/tasks/@global:operations:";
  const submitted = async (body: object): Promise<string> => the(202, await admin.post(`${path}embed`, body)).id;
  const ended = async (id: string) => {
    await patiently("it has ended", async () => ["completed", "failed"].includes((await task(id)).status));
    const { status, children, result } = await task(id);
    return [status, children.total, children.done, result];
  };
  assert.deepEqual(await ended(await submitted({ payload: { proteins: 1_200 } })), ["completed", 3, 3, null]);
  const parent = the(202, await admin.post(`${path}family`, { payload: {} })).id;
  assert.deepEqual(await ended(parent), ["completed", 2, 2, null]);
});
