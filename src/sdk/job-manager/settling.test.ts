import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerProblem } from "../problem.ts";
import { held } from "./held.ts";
import { life } from "./life.ts";
import type { Mine } from "./saying.ts";
import { type Settling, settling } from "./settling.ts";

const log = { info() {}, warn() {}, error() {} };
const mine = { taskId: "t1", leaseToken: "l1", task: { attempt: 1 } } as Mine;

/** Whether a word about it still reaches its handler, after the server has refused this. */
async function isHeldAfter(status: number, say: (settling: Settling) => Promise<void>): Promise<boolean> {
  const hands = held();
  const signal = hands.take({ taskId: "t1", attempt: 1, workerId: "w1" }, async () => undefined);
  const ask = () => Promise.reject(new ServerProblem({ type: "no", title: "No", status }));
  await assert.rejects(say(settling({ ask, life: life(log), held: hands, log })));
  hands.cancel("t1");
  return signal.aborted;
}

test("a task of which the server hears nothing more is out of a manager's hands; one that was refused is not", async () => {
  const ways = [
    (all: Settling) => all.settle(mine, { type: "completed", result: null }),
    (all: Settling) => all.cancel(mine),
  ];
  for (const way of ways) {
    assert.equal(await isHeldAfter(409, way), false);
    assert.equal(await isHeldAfter(404, way), false);
    assert.equal(await isHeldAfter(422, way), true);
  }
});
