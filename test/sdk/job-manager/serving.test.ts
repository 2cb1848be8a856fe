import assert from "node:assert/strict";
import { test } from "node:test";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { Category, type ClaimedTask, Extension, RetryLater } from "../../../src/sdk/index.ts";
import { until } from "../../../src/testing/until.ts";
import { managerScene } from "./wire-scene.ts";

const scene = await managerScene();
const { admin } = scene;

function submit(job: string, payload: object = {}): Promise<string> {
  return admin.post(`/rooms/lab/tasks/@global:modifiers:${job}`, { payload }).then(({ status, body }) => {
    assert.equal(status, 202, JSON.stringify(body));
    return body.id;
  });
}

test("a manager with `execute` serves by itself, and what comes back is the result", async () => {
  class Turn extends Extension {
    static readonly category = Category.MODIFIER;
    angle = 0.5;
    axes = ["x"];
    override run(vis: string[]): object {
      vis.push(`${this.angle} ${this.axes}`);
      return { turned: this.angle };
    }
  }
  const vis: string[] = [];
  const execute = (task: ClaimedTask) => {
    task.progress(1, 2, "half way");
    task.log.info("angle", 1);
    return task.extension.run(vis);
  };
  const { manager, wire } = scene.manager({ execute });
  assert.equal(await manager.register(Turn), "@global:modifiers:Turn");
  assert.equal(manager.jobs.get("@global:modifiers:Turn"), Turn);
  const plain = await submit("Turn");
  const given = await manager.submit(Turn.with({ angle: 90 }), "lab");
  assert.deepEqual((await scene.taskWith("completed", plain)).result, { turned: 0.5 });
  const done = await scene.taskWith("completed", given);
  assert.deepEqual(done.result, { turned: 90 });
  assert.deepEqual(done.progress, { current: 1, total: 2, message: "half way" });
  assert.deepEqual(vis, ["0.5 x", "90 x"]);
  const { body: logs } = await admin.get(`/tasks/${given}/logs`);
  assert.deepEqual(
    logs.items.map(({ message }: { message: string }) => message),
    ["angle 1"],
  );
  const said = wire.requests.filter((request) => request.includes(given)).map((request) => request.split("/").at(-1));
  assert.deepEqual(said, [given, "progress", "logs", given], "what was said is there when the task is completed");
});

test("a class's fields are its job's schema, so what does not fit them is refused at the door", async () => {
  class Fields extends Extension {
    static readonly category = Category.ANALYSIS;
    count = 1;
    label = "";
    deep = false;
    anything = null;
    run() {}
  }
  const { manager } = scene.manager();
  await manager.register(Fields, { room: "own-room", name: "Renamed" });
  const { body: job } = await admin.get("/rooms/own-room/jobs/own-room:analysis:Renamed");
  assert.deepEqual(job.schema, {
    type: "object",
    properties: {
      count: { type: "number", default: 1 },
      label: { type: "string", default: "" },
      deep: { type: "boolean", default: false },
      anything: { default: null },
    },
  });
  const submitted = manager.submit(Fields.with({ count: "many" as unknown as number }), "lab", { jobRoom: "own-room" });
  await assert.rejects(submitted, { name: "ServerProblem", status: 422 });
});

test("a payload that fails in the worker fails its task by the field's name, with every kind of schema", async () => {
  class Zod extends Extension {
    static readonly category = Category.MODIFIER;
    static readonly schema = z.object({ even: z.number().refine((n) => n % 2 === 0, "must be even") });
    run() {}
  }
  class Valibot extends Extension {
    static readonly category = Category.MODIFIER;
    static readonly schema = v.object({
      even: v.pipe(
        v.number(),
        v.check((n) => n % 2 === 0, "must be even"),
      ),
    });
    run() {}
  }
  class Arktype extends Extension {
    static readonly category = Category.MODIFIER;
    static readonly schema = type({ even: type("number").narrow((n, wrong) => n % 2 === 0 || wrong.mustBe("even")) });
    run() {}
  }
  const { manager } = scene.manager({ execute: (task) => ({ ...task.extension }) });
  for (const extension of [Zod, Valibot, Arktype]) {
    await manager.register(extension);
    const failed = await scene.taskWith("failed", await submit(extension.name, { even: 3 }));
    assert.match(failed.error, /\/even .*must be even/, extension.name);
    assert.equal(failed.error_code, "invalid-input");
    assert.equal(failed.error_details.errors[0].pointer, "/even");
    const done = await scene.taskWith("completed", await submit(extension.name, { even: 4 }));
    assert.deepEqual(done.result, { even: 4 });
  }
});

test("a payload brings data, and neither methods nor prototypes", async () => {
  class Open extends Extension {
    static readonly category = Category.MODIFIER;
    static readonly schema = { type: "object" };
    run(): string {
      return `ran ${JSON.stringify(this)}`;
    }
  }
  const { manager } = scene.manager({ execute: ({ extension }) => extension.run(null) });
  await manager.register(Open);
  const text = '{"payload": {"run": "mine", "constructor": 1, "__proto__": {"run": 2}, "toString": 3, "kept": 4}}';
  const { body } = await admin.post("/rooms/lab/tasks/@global:modifiers:Open", text);
  assert.equal((await scene.taskWith("completed", body.id)).result, 'ran {"kept":4}');
});

class Manual extends Extension {
  static readonly category = Category.MODIFIER;
  angle = 0;
  run() {}
}

test("without `execute` tasks are claimed one by one, and settled by hand", async () => {
  const { manager } = scene.manager();
  await assert.rejects(manager.claim(), /no worker/);
  await manager.register(Manual);
  assert.equal(await manager.claim(), null);
  const ids = [await submit("Manual", { angle: 1 }), await submit("Manual", { angle: 2 }), await submit("Manual")];
  const [first, second, third] = [await manager.claim(), await manager.claim(), await manager.claim()];
  assert.deepEqual([first?.taskId, second?.taskId, third?.taskId], ids);
  assert.ok(first && second && third);
  assert.deepEqual([first.extension, first.roomId, first.attempt], [Manual.with({ angle: 1 }), "lab", 1]);
  await manager.start(first);
  await manager.complete(first, { ok: true });
  await manager.start(second);
  await manager.fail(second, "no luck");
  await manager.cancel(third);
  assert.deepEqual((await scene.taskWith("completed", first.taskId)).result, { ok: true });
  assert.equal((await scene.taskWith("failed", second.taskId)).error, "no luck");
  await scene.taskWith("cancelled", third.taskId);
  await assert.rejects(manager.complete(first), { status: 409 }, "one outcome");
  await manager.fail(first, "late");
});

test("`listen` gives one task after the other until the manager disconnects", async () => {
  const { manager } = scene.manager();
  await manager.register(Manual);
  const ids = [await submit("Manual"), await submit("Manual")];
  const seen: string[] = [];
  for await (const task of manager.listen({ pollingInterval: 0.01 })) {
    await manager.start(task);
    await manager.complete(task);
    seen.push(task.taskId);
    if (seen.length === 2) void manager.disconnect();
  }
  assert.deepEqual(seen, ids);
});

test("a result that cannot be sent is refused to whoever completes by hand, and the task can still be failed", async () => {
  const { manager } = scene.manager();
  await manager.register(Manual);
  await submit("Manual");
  const task = await manager.claim();
  assert.ok(task);
  await manager.start(task);
  await assert.rejects(manager.complete(task, 1n), { code: "result-not-json" });
  await manager.fail(task, new Error("not a number"));
  assert.equal((await scene.taskWith("failed", task.taskId)).error, "not a number");
});

test("whatever a handler does, its task has an outcome, and the next one is served", async () => {
  class Odd extends Extension {
    static readonly category = Category.MODIFIER;
    how = "";
    run(): unknown {
      const circle: Record<string, unknown> = {};
      circle["itself"] = circle;
      // biome-ignore lint/style/useThrowOnlyError: handlers do.
      if (this.how === "string") throw "just a string";
      if (this.how === "error") throw Object.assign(new Error("broken"), { code: "E_BROKEN" });
      if (this.how === "circle") return circle;
      if (this.how === "large") return "x".repeat(5_000_000);
      return undefined;
    }
  }
  const { manager } = scene.manager({ execute: ({ extension }) => extension.run(null) });
  await manager.register(Odd);
  const outcomes = {
    string: ["just a string", null],
    error: ["broken", "E_BROKEN"],
    circle: [/circular/i, "result-not-json"],
    large: [/at most 1048576/, "result-too-large"],
  } as const;
  for (const [how, [message, code]] of Object.entries(outcomes)) {
    const failed = await scene.taskWith("failed", await submit("Odd", { how }));
    assert.match(failed.error, new RegExp(message), how);
    assert.equal(failed.error_code, code, how);
  }
  assert.equal((await scene.taskWith("completed", await submit("Odd"))).result, null);
});

test("RetryLater gives a task back, with a checkpoint for the next attempt", async () => {
  class Later extends Extension {
    static readonly category = Category.MODIFIER;
    run() {}
  }
  const { manager } = scene.manager({
    execute({ checkpoint, attempt }) {
      if (checkpoint === undefined) throw new RetryLater(0, { checkpoint: { page: 7 } });
      return { checkpoint, attempt };
    },
  });
  await manager.register(Later);
  const done = await scene.taskWith("completed", await submit("Later"));
  assert.deepEqual(done.result, { checkpoint: { page: 7 }, attempt: 2 });
});

test("a cancel reaches the handler with the next beat, and the manager goes on", async () => {
  class Long extends Extension {
    static readonly category = Category.MODIFIER;
    wait = true;
    run() {}
  }
  let reason: unknown;
  const { manager } = scene.manager({
    async execute({ signal, extension }) {
      if (!(extension as Long).wait) return "short";
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      reason = signal.reason;
      throw signal.reason;
    },
  });
  await manager.register(Long);
  const id = await submit("Long");
  await scene.taskWith("running", id);
  await admin.post(`/tasks/${id}/cancel`);
  await until("the handler heard", () => reason !== undefined);
  assert.match(String(reason), /TaskLost: Task .* was cancelled/);
  await scene.taskWith("completed", await submit("Long", { wait: false }));
  const { body: events } = await admin.get(`/tasks/${id}/events`);
  assert.equal(events.items.at(-1).type, "task.cancelled", "and no late word was said");
});

test("a task of a job that is not this manager's goes back", async () => {
  const { manager } = scene.manager();
  const workerId = await manager.createWorker();
  assert.equal(manager.workerId, workerId);
  await admin.put("/rooms/@global/jobs", { category: "modifiers", name: "Strange", worker_id: workerId });
  const id = await submit("Strange");
  assert.equal(await manager.claim(), null);
  const { body: task } = await admin.get(`/tasks/${id}`);
  assert.deepEqual([task.status, task.attempt], ["pending", 1]);
});

test("a class is registered by a decorator with options too, after its static fields have their values", async () => {
  class Decorated {
    run() {}
  }
  const { manager } = scene.manager();
  const later: (() => void)[] = [];
  const context = { kind: "class", addInitializer: (run: () => void) => later.push(run) };
  const decorate = manager.register({ room: "decorated" }) as (type: unknown, context: unknown) => unknown;
  assert.equal(decorate(Decorated, context), undefined, "the class stays the class");
  Object.assign(Decorated, { category: Category.ANALYSIS });
  for (const run of later) run();
  await manager.registered();
  assert.deepEqual([...manager.jobs.keys()], ["decorated:analysis:Decorated"]);
});

test("a class without a category is no job, and the compiler says so first", async () => {
  class Nowhere extends Extension {
    run() {}
  }
  const { manager } = scene.manager();
  // @ts-expect-error: the category is missing.
  await assert.rejects(manager.register(Nowhere), /Nowhere needs a static category/);
});
