import assert from "node:assert/strict";
import { test } from "node:test";
import type { Verdict } from "../../amqp/consuming.ts";
import { passingOn } from "./passing-on.ts";

/** A consumer whose rests last as long as the test says. */
function aConsumer() {
  const did: string[] = [];
  const over = Promise.withResolvers<void>();
  const passing = passingOn({
    hold: async () => void did.push("hold"),
    letGo: () => void did.push("let go"),
    rest(ms) {
      did.push(`rest ${ms}`);
      return over.promise;
    },
  });
  const goBack = async (): Promise<Verdict> => {
    did.push("back");
    return "ack";
  };
  const of = (index: number) => ({ operation: "newer", parent: "p", index, payload: {} });
  return {
    ...{ did, over },
    pass: (index: number) => passing(of(index), goBack, (passOn) => passOn()),
    run: (index: number) => passing(of(index), goBack, async () => "ack"),
  };
}

test("messages for colleagues go back at once, as long as each is met for the first time", async () => {
  const { did, pass } = aConsumer();
  for (const index of [0, 1, 2]) assert.equal(await pass(index), "ack");
  assert.deepEqual(did, ["back", "back", "back"]);
});

test("a consumer that was round once and ran nothing rests, and takes nothing before that is over", async () => {
  const { did, over, pass } = aConsumer();
  for (const index of [0, 1, 0]) await pass(index);
  assert.deepEqual(did.splice(0), ["back", "back", "hold", "back", "rest 500"]);
  over.resolve();
  await over.promise;
  await Promise.resolve();
  assert.deepEqual(did, ["let go"]);
});

test("a consumer that has run something meanwhile goes round once more", async () => {
  const { did, pass, run } = aConsumer();
  await pass(0);
  await run(1);
  await pass(0);
  assert.deepEqual(did, ["back", "back"]);
});
