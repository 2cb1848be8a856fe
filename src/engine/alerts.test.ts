import assert from "node:assert/strict";
import { test } from "node:test";
import { type Alert, alertsPerMinuteMax } from "../core/alert.ts";
import { world } from "../testing/world.ts";

const alert: Alert = { severity: "error", code: "disk", message: "full", task: null, at: null };

test("those of a minute that were not kept are told of in the next", async (t) => {
  const { engine, clock, store, stop } = await world();
  t.after(stop);
  const { id } = await engine.workers.register({ profile: "rest", owner: "ada", jobs: new Map() });
  const raised: boolean[] = [];
  for (let n = 0; n < alertsPerMinuteMax + 4; n += 1) raised.push(await engine.alerts.raise(id, alert));
  assert.deepEqual(raised.slice(-5), [true, false, false, false, false]);
  clock.advance(60_000);
  assert.equal(await engine.alerts.raise(id, alert), true);
  const { items, total } = await store.read("alerts", { limit: 3, offset: 0 });
  assert.equal(total, alertsPerMinuteMax + 3);
  const said = items.map(({ data }) => (JSON.parse(data as string) as Alert).message);
  assert.deepEqual(said, [
    "full",
    "4 more alerts of the minute before were not kept",
    "More than 60 alerts in a minute: the others are only counted",
  ]);
});
