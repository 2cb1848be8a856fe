import assert from "node:assert/strict";
import { test } from "node:test";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { Fail, RetryLater, ServerProblem, TaskAborted, TaskFailed, Worker } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { history } from "../rest/workshop.ts";
import { clientOf, hire } from "./scene.ts";

const scene = await restScene();
const { admin } = scene;
const where = { url: scene.url, token: admin.token };
const client = clientOf(where);
const full = (name: string) => `@global:modifiers:${name}`;

async function failure(name: string, payload: Record<string, unknown> = {}): Promise<TaskFailed> {
  const error = await client.run(full(name), payload).catch((error: unknown) => error);
  assert.ok(error instanceof TaskFailed, String(error));
  return error;
}

test("inputs of every kind of schema are checked where they can be, and filled in", async () => {
  await hire(where, (worker) => {
    worker.job(full("Zod"), { input: z.object({ angle: z.number().default(7) }) }, ({ input }) => input.angle + 1);
    worker.job(full("Arktype"), { input: type({ angle: "number = 7" }) }, ({ input }) => input.angle + 1);
    const angle = v.optional(v.number(), 7);
    worker.job(full("Valibot"), { input: v.object({ angle }) }, ({ input }) => input.angle + 1);
    const raw = { type: "object", properties: { angle: { type: "number" } }, required: ["angle"] };
    worker.job<{ angle: number }>(full("Raw"), { input: raw }, ({ input }) => input.angle + 1);
  }).start();
  for (const name of ["Zod", "Arktype", "Valibot"]) assert.equal(await client.run(full(name), {}), 8, name);
  assert.equal(await client.run(full("Raw"), { angle: 1 }), 2);
  for (const name of ["Zod", "Arktype", "Raw"]) {
    const refused = await client.submit(full(name), { angle: "left" }).catch((error: unknown) => error);
    assert.ok(refused instanceof ServerProblem && refused.status === 422, name);
    assert.equal(refused.errors[0]?.pointer, "/payload/angle", name);
  }
  const { code, task } = await failure("Valibot", { angle: "left" });
  assert.deepEqual([code, task.status, task.attempt], ["invalid-input", "failed", 1]);
  assert.match(task.error ?? "", /\/angle/);
});

test("a schema with a pattern that the server does not take is checked in the worker", async () => {
  const input = z.object({ word: z.string().regex(/^(?!no$)/) });
  const { log } = await hire(where, (worker) => worker.job(full("Pattern"), { input }, () => true)).start();
  assert.equal(await client.run(full("Pattern"), { word: "yes" }), true);
  assert.equal((await failure("Pattern", { word: "no" })).code, "invalid-input");
  assert.ok(log.lines.some(({ message }) => message.startsWith("the server checks less")));
});

test("whatever a handler does wrong fails its task, and the worker goes on", async () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const output = { type: "object", properties: { ok: { type: "boolean" } } };
  const { endings } = await hire(where, (worker) => {
    worker.job(full("String"), {}, () => Promise.reject("out of ink"));
    worker.job(full("Undefined"), {}, () => Promise.reject(undefined));
    worker.job(full("Circle"), {}, () => circle);
    worker.job(full("Large"), {}, () => "x".repeat(5_000_000));
    worker.job(full("Deep"), {}, () => JSON.parse("[".repeat(400) + "]".repeat(400)));
    worker.job(full("Misfit"), { output }, () => ({ ok: "yes" }));
    worker.job(full("Surrogate"), {}, () => ({ "\ud800": "\ud800" }));
    worker.job(full("Nul"), {}, () => Promise.reject(new Error("a \u0000 b")));
    worker.job(full("Own"), { retry: { maxAttempts: 5 } }, () => {
      throw new Fail("No such mailbox", { code: "no-mailbox", details: { box: 7 }, retryable: false });
    });
    worker.job(full("Fine"), {}, () => "fine");
  }).start();
  assert.equal((await failure("String")).message, "out of ink");
  assert.equal((await failure("Undefined")).message, "The handler threw undefined");
  assert.equal((await failure("Circle")).code, "result-not-json");
  assert.equal((await failure("Large")).code, "result-too-large");
  assert.equal((await failure("Deep")).code, "result-refused");
  const misfit = await failure("Misfit");
  assert.equal(misfit.code, "result-refused");
  assert.match(misfit.message, /\/result\/ok/);
  assert.equal((await failure("Surrogate")).code, "result-refused");
  assert.equal((await failure("Nul")).message, "a \ufffd b");
  const own = await failure("Own");
  assert.deepEqual([own.code, own.task.error_details, own.task.attempt], ["no-mailbox", { box: 7 }, 1]);
  assert.equal(await client.run(full("Fine")), "fine");
  assert.ok(endings.length >= 10);
});

test("an attempt that asks for later hands its checkpoint to the next, and costs no failure", async () => {
  await hire(where, (worker) => {
    worker.job(full("Pages"), {}, ({ checkpoint, attempt }) => {
      const { page } = (checkpoint ?? { page: 0 }) as { page: number };
      if (page < 2) throw new RetryLater(page, { checkpoint: { page: page + 1 } });
      return { page, attempt };
    });
  }).start();
  assert.deepEqual(await client.run(full("Pages")), { page: 2, attempt: 3 });
});

test("a failed attempt is tried again as the job says", async () => {
  await hire(where, (worker) => {
    worker.job(full("Flaky"), { retry: { maxAttempts: 3, baseMs: 0 } }, ({ attempt }) => {
      if (attempt < 3) throw new Error("busy");
      return attempt;
    });
  }).start();
  assert.equal(await client.run(full("Flaky")), 3);
});

test("a cancelled task aborts its handler, and what the handler makes of it is not told", async () => {
  let reason: unknown;
  const { endings } = await hire(where, (worker) => {
    worker.job(full("Long"), {}, async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      reason = signal.reason;
      throw signal.reason;
    });
  }).start();
  const { id } = await client.submit(full("Long"));
  await until("it runs", async () => (await client.get(id)).status === "running");
  await client.cancel(id);
  await until("its handler has ended", () => endings.length === 1);
  assert.ok(reason instanceof TaskAborted && reason.why === "cancelled");
  assert.equal(endings[0]?.ending, "dropped");
  assert.equal((await client.get(id)).status, "cancelled");
});

test("a task that runs out of time aborts its handler too", async () => {
  const { endings } = await hire(where, (worker) => {
    worker.job(full("Slow"), { timeoutMs: 100 }, ({ signal }) => {
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
  }).start();
  const { id } = await client.submit(full("Slow"));
  await until("its handler has ended", () => endings.length === 1, 10_000);
  assert.equal((await client.get(id)).status, "failed");
});

test("progress and lines of the log arrive while the handler runs, and all of them before its end", async () => {
  let go: () => void = () => {};
  const open = new Promise<void>((resolve) => {
    go = resolve;
  });
  await hire(where, (worker) => {
    worker.job(full("Talk"), {}, async (task) => {
      task.progress(3, 10, "rotating");
      task.log.info("begun", { at: 1 });
      await open;
      for (let line = 0; line < 1_200; line += 1) task.log.warn("line %d", line);
      task.progress(10, 10);
      return true;
    });
  }).start();
  const { id } = await client.submit(full("Talk"));
  await until("progress is seen", async () => (await client.get(id)).progress?.current === 3);
  const lines: string[] = [];
  for await (const { message } of client.logs(id, { follow: true })) {
    lines.push(message);
    go();
  }
  assert.equal(lines.length, 1_201);
  assert.deepEqual([lines[0], lines.at(-1)], ["begun { at: 1 }", "line 1199"]);
  const { status, progress } = await client.get(id);
  assert.deepEqual([status, progress?.current], ["completed", 10]);
});

test("no more tasks run side by side than the worker has hands", async () => {
  let now = 0;
  let most = 0;
  await hire(
    where,
    (worker) => {
      worker.job(full("Crowd"), {}, async () => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
      });
    },
    { concurrency: 4 },
  ).start();
  const tasks = await client.submitMany(
    "lab",
    Array.from({ length: 60 }, () => ({ job: full("Crowd") })),
  );
  await Promise.all(tasks.map(({ id }) => client.wait(id)));
  assert.equal(most, 4);
  assert.deepEqual(await history(admin, tasks[0]?.id ?? ""), ["submitted", "assigned", "completed"]);
});

test("a job that is registered with another schema is refused, and both are named", async () => {
  await hire(where, (worker) =>
    worker.job(full("Same"), { input: { type: "object", title: "first" } }, () => 1),
  ).start();
  const other = hire(where, (worker) =>
    worker.job(full("Same"), { input: { type: "object", title: "second" } }, () => 1),
  );
  await assert.rejects(other.start(), (error: unknown) => {
    assert.ok(error instanceof ServerProblem && error.code === "schema-conflict");
    assert.match(error.message, /"first".*"second"/);
    return true;
  });
});

test("a worker that was refused, or stopped before it was ready, does not stay at the server", async () => {
  const named = async (name: string): Promise<number> =>
    (await admin.get("/workers")).body.items.filter((each: { name: string | null }) => each.name === name).length;
  await hire(where, (worker) => worker.job(full("Taken"), { input: { title: "first" } }, () => 1)).start();
  const refused = hire(where, (worker) => worker.job(full("Taken"), { input: { title: "second" } }, () => 1), {
    name: "refused",
  });
  await assert.rejects(refused.start(), /another schema/);
  assert.equal(await named("refused"), 0);

  const many = Array.from({ length: 200 }, (_, nth) => full(`Early${nth}`));
  const early = hire(where, (worker) => void many.map((each) => worker.job(each, {}, () => 1)), { name: "early" });
  const started = early.start();
  await until("the server knows it", async () => (await named("early")) === 1);
  await early.worker.stop();
  await started;
  assert.equal(await named("early"), 0);
});

test("a worker that cannot be is refused at once", async () => {
  assert.throws(() => new Worker({ ...where, link: "amqp" }), /needs a queue/);
  const unmapped = { link: "amqp", queue: "my.batch", amqpUrl: "amqp://127.0.0.1:9" } as const;
  await assert.rejects(new Worker({ ...where, ...unmapped }).run(), /'my\.batch' .*`kind`.*LEADHAND_AMQP_QUEUES/);
  assert.throws(() => new Worker({ token: "none", link: "pigeon" as never }), /is not there/);
  assert.throws(() => new Worker({ ...where, concurrency: 0 }), RangeError);
  const worker = new Worker({ ...where, log: null }).job(full("Once"), {}, () => 1);
  assert.throws(() => worker.job(full("Once"), {}, () => 1), /there twice/);
  assert.throws(() => worker.job("Rotate", {}, () => 1), /room:category:name/);
  await assert.rejects(new Worker({ ...where, log: null }).run(), /no jobs/);
});
