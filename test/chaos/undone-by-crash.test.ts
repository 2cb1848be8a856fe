// A crash may undo a transaction so thoroughly that its very number is given to another one. Whoever sent it must not
// take that other one's commit for his own.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { postgresStore } from "../../src/stores/postgres/postgres-store.ts";
import { aTask, aWrite, taskId } from "../../src/testing/builders.ts";
import { commitText, cuttingProxy } from "../../src/testing/cutting-proxy.ts";
import { manualClock, worldStart } from "../../src/testing/manual-clock.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { stageOn } from "../../src/testing/store-contract/stage.ts";
import { until } from "../../src/testing/until.ts";
import { type PrivatePostgres, privatePostgres } from "./private-postgres.ts";

// Nothing reaches the disk by itself before its commit asks for it. Whole pages of the log do when a transaction ends badly,
// so the one that is undone begins a new file of it and stays within its first page.
const settings = { wal_writer_delay: "10s", full_page_writes: "off" };
const own = (await privatePostgres(settings)) as PrivatePostgres;
const skip = own === undefined && "no PostgreSQL";
after(() => own?.postgres.stop());

const numbers = 20;

test("what a crash has undone is not taken for the transaction that got its number afterwards", { skip }, async () => {
  const { postgres, query } = own;
  const proxy = await cuttingProxy(postgres.url);
  const clock = manualClock();
  const store = postgresStore({ url: proxy.url, schema: own.schema(), log: recordedLog(), clock, waitMs: 20_000 });
  try {
    await store.start();
    const stage = stageOn(store);
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    await stage.claim(lane, { assign: true }, worldStart);
    const next = async () => Number((await query<{ n: string }>("select pg_current_xact_id()::text n"))[0]?.n);

    await query("select pg_switch_wal()");
    proxy.cut("request", commitText);
    const before = await next();
    const amended = store.amend({ tasks: [taskId(1)] }, (view) => {
      const tasks = [...view.tasks.values()];
      const progress = { current: 7, total: null, message: null };
      return { answer: "told", tasks: tasks.map((task) => aWrite(task, [{ type: "progress", progress }], worldStart)) };
    });
    await until("the connection is lost at the commit", () => proxy.cuts === 1);
    proxy.close();
    await postgres.restart("immediate");
    assert.ok((await next()) <= before + 1, "the number is given again");
    for (let given = 0; given < numbers; given += 1) await next();
    proxy.open();

    assert.equal((await amended).answer, "told");
    assert.equal((await stage.task(taskId(1)))?.row.progress?.current, 7, "what was said is so");
  } finally {
    await store.stop();
    await proxy.stop();
  }
});
