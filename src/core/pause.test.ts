import assert from "node:assert/strict";
import { test } from "node:test";
import { isPaused, type Pause, pauseKey } from "./pause.ts";

const pause: Pause = { kind: "job", name: "a:b:c", by: "ada", note: null, at: 1_000, until: null, endedAt: null };

test("a pause counts until it is ended, or ends by itself", () => {
  assert.equal(isPaused(undefined, 1_000), false);
  assert.equal(isPaused(pause, 9_000_000), true);
  assert.equal(isPaused({ ...pause, endedAt: 2_000 }, 1_500), false);
  assert.equal(isPaused({ ...pause, until: 2_000 }, 1_999), true);
  assert.equal(isPaused({ ...pause, until: 2_000 }, 2_000), false);
});

test("a job, a queue and a worker of one name are paused apart", () => {
  const keys = (["job", "queue", "worker"] as const).map((kind) => pauseKey({ kind, name: "x" }));
  assert.equal(new Set(keys).size, 3);
});
