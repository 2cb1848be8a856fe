import assert from "node:assert/strict";
import { test } from "node:test";
import { payloadText } from "./payload-argument.ts";
import { submitBody } from "./submit-request.ts";
import { UsageError } from "./usage-error.ts";

const { signal } = new AbortController();

test("a payload goes into the body as the text it is, and only what was given beside it", () => {
  assert.equal(submitBody({}, '{"a": 1.50}'), '{"payload":{"a": 1.50}}');
  const flags = {
    priority: "-3",
    delay: "1.5s",
    queue: "slow",
    label: ["gpu=yes", "zone=a=b"],
    timeout: "2m",
    attempts: "3",
  };
  assert.deepEqual(JSON.parse(submitBody(flags, "{}")), {
    ...{ payload: {}, priority: -3, delay_seconds: 1.5, queue: "slow", labels: { gpu: "yes", zone: "a=b" } },
    ...{ timeout_seconds: 120, retry: { maxAttempts: 3 } },
  });
  assert.equal(JSON.parse(submitBody({ at: "2026-11-15T19:30:00+01:00" }, "{}")).run_at, "2026-11-15T18:30:00.000Z");
});

test("what a flag cannot be is refused by the flag's name", () => {
  const wrong = [
    { delay: "5" },
    { delay: "soon" },
    { timeout: "-1s" },
    { priority: "high" },
    { priority: "1000001" },
    { attempts: "0" },
    { at: "soon" },
    { label: ["gpu"] },
  ];
  for (const flags of wrong) {
    const [name] = Object.keys(flags);
    assert.throws(
      () => submitBody(flags, "{}"),
      (error) => error instanceof UsageError && error.message.startsWith(`--${name}: "`),
    );
  }
  assert.throws(() => submitBody({ at: "2026-11-15", delay: "1s" }, "{}"), /exclude each other/);
});

test("a payload that is no JSON object is refused before anything is asked", async () => {
  assert.equal(await payloadText(undefined, signal), "{}");
  for (const [given, says] of [
    ["{angle: 1}", /^the payload is not JSON/],
    ["[1]", /^the payload is not a JSON object/],
    ["null", /^the payload is not a JSON object/],
    ["", /^the payload is not JSON/],
    ["@/no/such/file", /^the payload cannot be read: ENOENT/],
  ] as const) {
    await assert.rejects(
      payloadText(given, signal),
      (error) => error instanceof UsageError && says.test(error.message),
    );
  }
});
