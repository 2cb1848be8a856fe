import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerProblem } from "./problem.ts";
import { delayMs } from "./steady-api.ts";

const away = (retryAfterMs: number | null) =>
  new ServerProblem({ type: "stopping", title: "Service Unavailable", status: 503 }, retryAfterMs);

test("a server that asks for patience gets it, but not for so long that its return is missed", () => {
  assert.equal(delayMs(1, away(5_000)), 5_000);
  assert.equal(delayMs(1, away(3_600_000)), 30_000);
  assert.equal(delayMs(1, away(Number.MAX_SAFE_INTEGER)), 30_000);
  assert.ok(delayMs(1, away(null)) <= 50);
  assert.ok(delayMs(100, away(null)) <= 2_000);
});
