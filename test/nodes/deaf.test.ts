// A LISTEN that is half-open: nothing comes any more, and nobody is told. The pulse keeps things going until the server
// notices that it does not hear itself.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { cuttingProxy } from "../../src/testing/cutting-proxy.ts";
import { until } from "../../src/testing/until.ts";
import { query, withPostgres } from "../fresh-database.ts";
import { clientOf, hire } from "../sdk/scene.ts";
import { claimed, pair, promptly, registerJob, submitted } from "./pair.ts";

const selectListeners = `
  select pid
  from pg_stat_activity
  where datname = current_database() and application_name like 'leadhand listen %'
  order by pid`;

test(
  "a half-open LISTEN is found and replaced, and meanwhile the pulse keeps things going",
  withPostgres,
  async (t) => {
    let deafen = (): void => undefined;
    const { here, there, database } = await pair({}, async (url) => {
      const proxy = await cuttingProxy(url);
      after(proxy.stop);
      deafen = proxy.silence;
      return { "database-listen-url": proxy.url };
    });
    const listeners = async () => (await query(database, selectListeners)).map((row) => (row as { pid: number }).pid);
    const { worker, path } = await registerJob(here.admin, "Poll");
    const where = { url: here.url, token: here.admin.token };
    const job = "lab:modifiers:Work";
    await hire(where, (hired) => hired.job(job, {}, async () => "done"), { link: "work" }).start();
    const client = clientOf({ url: there.url, token: there.admin.token });
    await client.wait((await client.submit(job, {})).id);
    const before = await listeners();
    assert.equal(before.length, 2);
    deafen();

    await Promise.all([
      t.test("a claim that waits gets its task", async () => {
        const waiting = claimed(here.admin, worker, 8);
        await until("the claim waits", () => here.serving.operations.waitingClaims() === 1);
        const id = await submitted(there.admin, path);
        assert.equal((await waiting).id, id);
      }),
      t.test("a worker that is connected gets its task, and whoever waits for that hears of its end", async () => {
        const { id } = await client.submit(job, {});
        const { body } = await here.admin.get(`/tasks/${id}`, { prefer: "wait=8" });
        assert.equal(body.status, "completed");
      }),
      t.test("whoever follows a task sees its end", async () => {
        const id = await submitted(there.admin, "/rooms/lab/tasks/lab:modifiers:Poll", {});
        const seen: string[] = [];
        const following = (async () => {
          const watched = clientOf(where).watch(id);
          for await (const { status } of watched) seen.push(status);
        })();
        await until("it is followed", () => seen.length > 0);
        await there.admin.post(`/tasks/${id}/cancel`);
        await following;
        assert.equal(seen.at(-1), "cancelled");
      }),
      t.test("the connection is replaced", () =>
        until(
          "another LISTEN",
          async () => {
            const now = await listeners();
            return now.length >= 2 && now.some((pid) => !before.includes(pid));
          },
          30_000,
        ),
      ),
    ]);

    await promptly("a claim after that", async () => {
      const waiting = claimed(here.admin, worker, 8);
      await until("the claim waits", () => here.serving.operations.waitingClaims() === 1);
      await submitted(there.admin, path);
      await waiting;
    });
  },
);
