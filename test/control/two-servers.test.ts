import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { restScene } from "../rest/scene.ts";
import { the } from "../rest/workshop.ts";
import { clientOf, hire } from "../sdk/scene.ts";

const job = "@global:modifiers:Slow";

test(
  "what is ordered at one server reaches workers at the other, and plans outlive the server that began them",
  withPostgres,
  async () => {
    const flags = { "database-url": await freshDatabase() };
    const here = await restScene(flags);
    const there = await restScene(flags);
    const { token } = await here.caller("ada", { role: "admin" });
    const open = new Map<string, () => void>();
    const workers = await Promise.all(
      [1, 2].map((nth) =>
        hire(
          { url: there.url, token },
          (worker) =>
            worker.job(job, {}, async (task) => {
              const { promise, resolve } = Promise.withResolvers<void>();
              task.signal.addEventListener("abort", () => resolve());
              open.set(task.id, resolve);
              await promise;
            }),
          { link: "work", labels: { zone: "a" }, name: `w-${nth}` },
        ).start(),
      ),
    );
    const [first = "", second = ""] = workers.map(({ ids }) => ids[0] ?? "").sort();
    const [client, other] = [clientOf({ url: here.url, token }), clientOf({ url: there.url, token })];
    const told = async (id: string, type: string) =>
      until(`${type} is acknowledged`, async () => {
        for await (const each of client.fleet.commands(id)) if (each.type === type) return each.ok === true;
        return false;
      });

    await client.fleet.pauseWorker(first, { note: "from elsewhere" });
    await client.fleet.pauseJob(job);
    await told(first, "pause");
    const tasks = (await client.submitMany("@global", Array(2).fill({ job }))).map(({ id }) => id);
    await client.fleet.resumeJob(job);
    await until("the other one works", () => open.size === 1);
    await client.fleet.resumeWorker(first);
    await until("both work", () => open.size === 2);

    await client.fleet.evict(tasks[0] ?? "");
    await until("it is taken up anew", async () => (await client.get(tasks[0] ?? "")).attempt === 2);
    const plan = await client.fleet.drainWorkers("zone=a", { deadlineMs: 2_000 });
    assert.deepEqual([plan.draining, plan.waiting], [[first], [second]]);
    await here.stop();
    await until("the next has its turn", async () => (await other.fleet.drains())[0]?.draining[0] === second, 20_000);
    await until("the plan is through", async () => (await other.fleet.drains()).length === 0, 20_000);
    for (const id of tasks) {
      const task = await other.get(id);
      assert.deepEqual([task.status, task.losses], ["pending", 0]);
    }
    const reply = await there.send("GET", `/v1/workers/${second}`, { token });
    assert.deepEqual([the(200, reply).draining, reply.body.drain.by], [true, "ada"]);
  },
);
