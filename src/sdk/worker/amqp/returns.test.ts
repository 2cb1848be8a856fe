import assert from "node:assert/strict";
import { test } from "node:test";
import type { Verdict } from "../../amqp/consuming.ts";
import { returns } from "./returns.ts";

test("a copy waits until the broker has been told of the message that it is a copy of", async () => {
  const back = returns();
  const { promise: published, resolve: confirm } = Promise.withResolvers<Verdict>();
  const order: string[] = [];
  // As an acknowledgement is told: with the turn after the verdict.
  const told = back.begin(published).then(() => setImmediate(() => order.push("told")));
  const run = back.told().then(() => order.push("run"));
  confirm("ack");
  await Promise.all([told, run]);
  assert.deepEqual(order, ["told", "run"]);
});

test("nobody waits for what went back long ago, nor for what goes back later", async () => {
  const back = returns();
  await back.told();
  await back.begin(Promise.resolve("ack"));
  await back.told();
  const waiting = back.told();
  void back.begin(new Promise(() => {}));
  await waiting;
});
