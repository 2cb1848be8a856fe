import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabaseUrl } from "../testing/real-surroundings.ts";
import { recordedLog } from "../testing/recorded-log.ts";
import { until } from "../testing/until.ts";
import { adjustmentOf, setByPostgres } from "./postgres-time.ts";
import { systemClock } from "./system.ts";

const url = testDatabaseUrl();
const skip = url === undefined && "LEADHAND_TEST_DATABASE_URL is not set";

test("a clock set by PostgreSQL tells its time from the first word on", { skip }, async () => {
  const clock = systemClock();
  clock.setOffset(-3_600_000);
  await setByPostgres(clock, url as string, recordedLog());
  assert.ok(Math.abs(clock.now() - clock.machine()) < 1_000, "they run on one machine");
});

test("a way that leads nowhere is told at once, without its password", async () => {
  const asked = setByPostgres(systemClock(), "postgres://me:hunter2@/x?host=/no/such/socket", recordedLog());
  await assert.rejects(asked, (error) => error instanceof Error && !error.message.includes("hunter2"));
});

test("a clock that stands still is not set back twice for the same difference", async () => {
  const clock = systemClock();
  const adjust = adjustmentOf(clock);
  const behindMs = 40;
  const database = (): number => clock.machine() - behindMs;
  for (let pulse = 0; pulse < 5; pulse += 1) adjust(database() - clock.now());
  const before = clock.now();
  await until("it goes on", () => clock.now() > before);
  assert.ok(Math.abs(clock.now() - database()) <= 5, `${clock.now() - database()} ms off`);
});
