import assert from "node:assert/strict";
import { test } from "node:test";
import { house } from "../../testing/internal-house.ts";
import { settled } from "../../testing/world.ts";

test("the history says whether a handler asked for a later time, or its executor was told to stop", async () => {
  for (const [reason, told] of [
    [{}, "retry_later"],
    [{ reason: "shutdown" } as const, "shutdown"],
  ] as const) {
    const h = await house();
    const { id } = await h.ask();
    await h.broker.begin(id);
    h.broker.end(id, { type: "later", delayMs: 60_000, checkpoint: null, ...reason });
    await settled();
    const { items } = await h.store.read("events", { task: id, limit: 10, offset: 0 });
    const release = items.find(({ type }) => type === "task.released");
    assert.equal(JSON.parse(release?.data ?? "{}").reason, told);
    assert.equal((await h.task(id)).row.losses, 0);
  }
});
