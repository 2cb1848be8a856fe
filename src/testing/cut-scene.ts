// A PostgreSQL store behind a proxy that can cut its connections, for tests of what the store answers then.

import assert from "node:assert/strict";
import { test } from "node:test";
import { historyFault } from "../core/history.ts";
import type { Store } from "../ports/store.ts";
import { postgresStore } from "../stores/postgres/postgres-store.ts";
import { type CuttingProxy, cuttingProxy } from "./cutting-proxy.ts";
import { manualClock } from "./manual-clock.ts";
import { postgresSchema } from "./postgres-schema.ts";
import { testDatabaseUrl } from "./real-surroundings.ts";
import { type RecordedLog, recordedLog } from "./recorded-log.ts";
import { type Stage, stageOn } from "./store-contract/stage.ts";

const url = testDatabaseUrl() ?? "";

export interface Scene {
  readonly store: Store;
  readonly stage: Stage;
  readonly proxy: CuttingProxy;
  readonly log: RecordedLog;
  readonly lane: number;
}

/** A store with a job, a worker and a lane, behind a proxy. */
export function scene(sentence: string, body: (scene: Scene) => Promise<void>, waitMs = 10_000): void {
  test(sentence, { timeout: 60_000 }, async () => {
    const schema = postgresSchema(url);
    const proxy = await cuttingProxy(url);
    const log = recordedLog();
    const store = postgresStore({ url: proxy.url, schema: schema.name, log, clock: manualClock(), waitMs });
    try {
      await store.start();
      const stage = stageOn(store);
      await body({ store, stage, proxy, log, lane: await stage.begin() });
      await allFold(store);
    } finally {
      await store.stop();
      await proxy.stop();
      await schema.drop();
    }
  });
}

async function allFold(store: Store): Promise<void> {
  for (const { task, events } of await store.read("histories", { after: null, limit: 1_000 })) {
    assert.equal(historyFault(events, task.row), null, task.card.id);
  }
}
