import assert from "node:assert/strict";
import { test } from "node:test";
import { leaseEveryMs } from "./lease-beat.ts";

const lasting = (seconds: number) => ({
  started_at: "2026-01-31T12:00:00.000Z",
  lease_until: new Date(Date.parse("2026-01-31T12:00:00.000Z") + seconds * 1_000).toISOString(),
});

test("a lease of 120 seconds is prolonged each 30 of them, and so are longer ones", () => {
  assert.equal(leaseEveryMs(lasting(120), null), 30_000);
  assert.equal(leaseEveryMs(lasting(3_600), null), 30_000);
});

test("a shorter one is prolonged four times while it lasts, and not more than once a second", () => {
  assert.equal(leaseEveryMs(lasting(40), null), 10_000);
  assert.equal(leaseEveryMs(lasting(2), null), 1_000);
});

test("it is done as often as somebody asked for, and twice in each lease at least", () => {
  assert.equal(leaseEveryMs(lasting(120), 5_000), 5_000);
  assert.equal(leaseEveryMs(lasting(120), 50_000), 50_000);
  assert.equal(leaseEveryMs(lasting(120), 600_000), 60_000);
});

test("where the server does not say how long a lease lasts, it is taken for the usual one", () => {
  assert.equal(leaseEveryMs({ started_at: null, lease_until: null }, null), 30_000);
  assert.equal(leaseEveryMs({ started_at: null, lease_until: null }, 7_000), 7_000);
});
