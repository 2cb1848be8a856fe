// Looking for tasks whose payloads are very long: what one look reads has a limit, and nothing is overlooked for it.

import assert from "node:assert/strict";
import type { Condition } from "../core/task-pick.ts";
import type { Store } from "../ports/store.ts";
import { aTask, taskId } from "./builders.ts";
import { scanAll } from "./store-contract/histories/picks.ts";
import { stageOn } from "./store-contract/stage.ts";

const count = 24;
const long = "x".repeat(2 ** 20);

/** For stores that read texts to look into them. */
export async function lookIntoLongTexts(store: Store): Promise<void> {
  const stage = stageOn(store);
  const lane = await stage.begin();
  for (let n = 1; n <= count; n += 1) {
    const payload = JSON.stringify({ long, n: n % 2 });
    await stage.submit(aTask({ id: taskId(n), lane, payload }));
  }
  const odd: Condition = { kind: "input", path: ["n"], value: "1", not: false };
  const query = { pick: { now: 0, conditions: [odd] }, rows: 100, limit: 100, want: "ids" } as const;
  const { seen, through } = await store.read("taskScan", { ...query, before: null });
  assert.ok(seen > 0 && seen < count, `${seen} megabytes were read by one look`);
  assert.equal(through, taskId(count + 1 - seen));
  const found = (await scanAll(store, query)).map(({ id }) => id);
  const wanted = Array.from({ length: count }, (_, nth) => count - nth).filter((n) => n % 2 === 1);
  assert.deepEqual(found, wanted.map(taskId));
}
