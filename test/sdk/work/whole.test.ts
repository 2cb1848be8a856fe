import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { Fail, RetryLater, TaskAborted, TaskFailed } from "../../../src/sdk/index.ts";
import { until } from "../../../src/testing/until.ts";
import { restScene } from "../../rest/scene.ts";
import { history } from "../../rest/workshop.ts";
import { clientOf, hire } from "../scene.ts";

const scene = await restScene();
const { admin } = scene;
const where = { url: scene.url, token: admin.token };
const client = clientOf(where);
const full = (name: string) => `@global:modifiers:${name}`;
const byDefault = { link: undefined } as const;

test("a worker is connected by itself, and everything a handler can say arrives", async () => {
  const input = z.object({
    word: z
      .string()
      .regex(/^(?!no$)/)
      .default("yes"),
  });
  const { ids, endings, worker } = await hire(
    where,
    (each) => {
      each.job(full("Pattern"), { input }, ({ input: { word } }) => word);
      each.job(full("Fail"), {}, () => {
        throw new Fail("No such mailbox", { code: "no-mailbox", details: { box: 7 }, retryable: false });
      });
      each.job(full("Pages"), {}, ({ checkpoint, attempt }) => {
        const { page } = (checkpoint ?? { page: 0 }) as { page: number };
        if (page < 2) throw new RetryLater(page, { checkpoint: { page: page + 1 } });
        return { page, attempt };
      });
      each.job(full("Talk"), {}, (task) => {
        for (let line = 0; line < 300; line += 1) task.log.info("line %d", line);
        task.progress(3, 10, "rotating");
        task.alert({ severity: "warning", code: "ink_low", message: "Ten more pages" });
        return true;
      });
      each.job(full("Deep"), {}, () => JSON.parse("[".repeat(400) + "]".repeat(400)));
      each.job(full("Misfit"), { output: { type: "string" } }, () => 7);
    },
    { ...byDefault, concurrency: 4 },
  ).start();
  const record = (await admin.get(`/workers/${ids[0]}`)).body;
  assert.equal(record.profile, "work");
  assert.equal(await client.run(full("Pattern"), {}), "yes");
  const failed = await client.run(full("Fail")).catch((error: unknown) => error);
  assert.ok(failed instanceof TaskFailed && failed.code === "no-mailbox");
  assert.deepEqual(await client.run(full("Pages")), { page: 2, attempt: 3 });
  const { id } = await client.submit(full("Talk"));
  const done = await client.wait(id);
  assert.deepEqual([done.status, done.progress?.current], ["completed", 3]);
  const lines: string[] = [];
  for await (const { message } of client.logs(id)) lines.push(message);
  assert.deepEqual([lines.length, lines.at(-1)], [300, "line 299"]);
  for (const name of ["Deep", "Misfit"]) {
    const error = await client.run(full(name)).catch((error: unknown) => error);
    assert.ok(error instanceof TaskFailed, name);
  }
  assert.deepEqual(await history(admin, id), ["submitted", "assigned", "progressed", "completed"]);
  await worker.stop();
  assert.equal(endings.find(({ job }) => job === full("Misfit"))?.ending, "refused");
  assert.equal((await admin.get(`/workers/${ids[0]}`)).body.state, "DELETED");
});

test("a thousand tasks are each done once", async () => {
  const { endings } = await hire(where, (each) => each.job(full("Many"), {}, () => 1), {
    ...byDefault,
    concurrency: 50,
  }).start();
  const tasks = await client.submitMany(
    "lab",
    Array.from({ length: 1_000 }, () => ({ job: full("Many") })),
  );
  await Promise.all(tasks.map(({ id }) => client.wait(id)));
  await until("all are told", () => endings.length === 1_000);
  assert.ok(endings.every(({ ending, attempt }) => ending === "completed" && attempt === 1));
});

test("a cancel reaches the handler", async () => {
  let reason: unknown;
  const { endings } = await hire(
    where,
    (each) =>
      each.job(
        full("Long"),
        {},
        ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              reason = signal.reason;
              reject(reason);
            });
          }),
      ),
    byDefault,
  ).start();
  const { id } = await client.submit(full("Long"));
  await until("it runs", async () => (await client.get(id)).status === "running");
  await client.cancel(id);
  await until("it has ended", () => endings.length === 1);
  assert.ok(reason instanceof TaskAborted && reason.why === "cancelled");
});
