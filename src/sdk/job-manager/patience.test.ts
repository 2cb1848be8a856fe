import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerProblem } from "../problem.ts";
import { backOffMs } from "./patience.ts";

test("a manager waits for as long as a server asks, but not for ever", () => {
  const away = (retryAfterMs: number) =>
    new ServerProblem({ type: "stopping", title: "Service Unavailable", status: 503 }, retryAfterMs);
  assert.equal(backOffMs(0, away(5_000)), 5_000);
  assert.equal(backOffMs(0, away(86_400_000)), 30_000);
});
