import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Verdict } from "../../amqp/consuming.ts";
import type { Standing } from "../../amqp/mark-telling.ts";
import { ServerUnreachable } from "../../problem.ts";
import type { Attempt } from "../attempt.ts";
import { operationJob } from "./operation-name.ts";
import { handle, type OperationRunParts } from "./operation-run.ts";

/** One operation in hand whose end, way back and count are in the test's hands. */
async function inHand({
  operation = "store",
  signal = new AbortController().signal,
  isKnownElsewhere = async () => false,
  standing = "open",
}: Partial<Pick<OperationRunParts, "isKnownElsewhere" | "signal">> & {
  readonly operation?: string;
  readonly standing?: Standing;
} = {}) {
  const [handler, confirm, count] = [0, 1, 2].map(() => Promise.withResolvers<void>()) as [Gate, Gate, Gate];
  const did: string[] = [];
  let held: Attempt | undefined;
  const name = operationJob("store");
  const parts = {
    ...{ queue: "batch", signal, patience: { redeliveryMax: 10 } },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    hold: (attempt: Attempt) => (held = attempt),
    isKnownElsewhere,
    jobs: new Map([[name, { name, options: {}, handler: () => handler.promise }]]),
    parents: {
      ...{ standing: async () => standing, keepAwake() {}, emit() {} },
      portOf: () => ({ progress() {}, log() {}, alert() {}, emit() {} }),
      async count() {
        did.push("count");
        await count.promise;
        return true;
      },
    },
  } as unknown as OperationRunParts;
  let back: Promise<Verdict> | null = null;
  const verdict = handle(parts, {
    message: { operation, parent: "p", index: null, payload: {} },
    delivery: { body: "{}", headers: {}, isRepeated: false, isLost: () => false },
    goBack() {
      did.push("back");
      back ??= confirm.promise.then(() => "ack" as const);
      return back;
    },
    async passOn() {
      did.push("passed on");
      return "ack";
    },
    isBack: () => back !== null,
  });
  await turn();
  return { handler, confirm, count, did, verdict, giveBack: () => held?.giveBack?.(new AbortController().signal) };
}

type Gate = PromiseWithResolvers<void>;

test("a handler that ends while its message goes back is not counted: whoever has the copy is", async () => {
  const { handler, confirm, did, verdict, giveBack } = await inHand();
  const given = giveBack();
  handler.resolve();
  await turn();
  confirm.resolve();
  await given;
  assert.equal(await verdict, "ack");
  assert.deepEqual([...new Set(did)], ["back"]);
});

test("a message whose handler has ended does not go back while its count is told", async () => {
  const { handler, count, did, verdict, giveBack } = await inHand();
  handler.resolve();
  await turn();
  const given = giveBack();
  await turn();
  count.resolve();
  await given;
  assert.equal(await verdict, "ack");
  assert.deepEqual(did, ["count"]);
});

test("an operation that a colleague knows is passed on, and not counted", async () => {
  const { verdict, did } = await inHand({ operation: "newer", isKnownElsewhere: async () => true });
  assert.equal(await verdict, "ack");
  assert.deepEqual(did, ["passed on"]);
});

test("an operation that nobody knows is counted as failed", async () => {
  const { verdict, did, count } = await inHand({ operation: "newer" });
  count.resolve();
  assert.equal(await verdict, "deadLetter");
  assert.deepEqual(did, ["count"]);
});

test("an unknown operation of which the server says nothing now goes back, and has not failed", async () => {
  const ending = new AbortController();
  const { verdict, did, confirm } = await inHand({
    ...{ operation: "newer", signal: ending.signal },
    isKnownElsewhere: () => Promise.reject(new ServerUnreachable("away")),
  });
  ending.abort();
  confirm.resolve();
  assert.equal(await verdict, "ack");
  assert.deepEqual(did, ["back"]);
});

test("an operation that nobody knows does not go back while its count is told", async () => {
  const { count, did, verdict, giveBack } = await inHand({ operation: "newer" });
  const given = giveBack();
  await turn();
  count.resolve();
  await given;
  assert.equal(await verdict, "deadLetter");
  assert.deepEqual(did, ["count"]);
});

test("an operation on whose parent this one may not count is not run, and left to others", async () => {
  const { handler, verdict, did } = await inHand({ standing: "forbidden" });
  handler.resolve();
  assert.equal(await verdict, "ack");
  assert.deepEqual(did, ["passed on"]);
});

for (const standing of ["final", "gone"] as const) {
  test(`an operation whose parent is ${standing} is passed over`, async () => {
    const { verdict, did } = await inHand({ standing });
    assert.equal(await verdict, "ack");
    assert.deepEqual(did, []);
  });
}
