// Servers whose way to PostgreSQL leads through a PgBouncer in transaction mode.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, postgresUrl } from "../fresh-database.ts";
import { run } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";
import { clientOf, hire } from "../sdk/scene.ts";
import { promptly, rarePulse } from "./pair.ts";
import { pooled, withPooler } from "./pooler.ts";

test(
  "servers behind a pooler serve workers and callers, hear each other, and outlive the pooler",
  withPooler,
  async () => {
    const bouncer = await pooled();
    const direct = await freshDatabase();
    const DATABASE_URL = bouncer.urlOf(direct);
    const flags = { "database-url": DATABASE_URL, "database-listen-url": direct, "database-pooler": "true" };
    const here = await restScene({ ...flags, ...rarePulse });
    const there = await restScene({ ...flags, ...rarePulse, data: here.data });
    const job = "lab:modifiers:Rotate";
    const where = { url: here.url, token: here.admin.token };
    await hire(where, (worker) => worker.job(job, {}, async (task) => task.input), { link: "work" }).start();
    const client = clientOf({ url: there.url, token: there.admin.token });
    await promptly("a task from one server to the other", async () => {
      const { id } = await client.submit(job, { n: 1 });
      assert.equal((await client.wait(id)).status, "completed");
    });

    const ids = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        if (n === 50) {
          await bouncer.kill();
          await bouncer.start();
        }
        return (await client.submit(job, { n })).id;
      }),
    );
    const ended = await Promise.all(ids.map((id) => client.wait(id, { timeoutMs: 40_000 })));
    assert.deepEqual(
      ended.map(({ status, result }) => [status, (result as { n: number }).n]),
      ids.map((_, n) => ["completed", n]),
    );
    assert.equal((await client.nodes()).length, 2);

    const environment = { DATABASE_URL, LEADHAND_DATABASE_LISTEN_URL: direct, LEADHAND_DATABASE_POOLER: "true" };
    const verified = await run(["verify"], environment);
    assert.equal(verified.code, 0, verified.err);
    const made = await run(["token", "create", "--user", "ada", "--json"], environment);
    assert.equal(made.code, 0, made.err);
  },
);

test("a pooler that nobody spoke of is named in the refusal", withPooler, async () => {
  const bouncer = await pooled();
  const url = bouncer.urlOf(await freshDatabase());
  const scenes: { stop(): Promise<void> }[] = [];
  let said = "";
  // With one connection at a time everything may seem to work; the first two that share a process find out.
  await until(
    "somebody stumbles",
    async () => {
      try {
        const scene = await restScene({ "database-url": url, "database-listen-url": postgresUrl ?? "" });
        scenes.push(scene);
        const { text } = await scene.admin.put("/rooms/lab/jobs", { category: "modifiers", name: "Rotate" });
        said += text;
      } catch (error) {
        said += String(error);
      }
      return said.includes("LEADHAND_DATABASE_POOLER=true");
    },
    20_000,
  );
  for (const scene of scenes) await scene.stop();
});

test("a pooler needs a way round it for LISTEN", async () => {
  const { code, err } = await run(["serve", "--database-url", "postgres://a@b/c", "--database-pooler"]);
  assert.equal(code, 2);
  assert.match(err, /LEADHAND_DATABASE_POOLER needs LEADHAND_DATABASE_LISTEN_URL/);
});
