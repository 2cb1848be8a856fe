// What every courier promises (ports/courier.ts), and what the engine builds on: the fake one too, so that tests of the
// engine with it say something about the real one. An adapter's test file is one call of this.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Courier } from "../ports/courier.ts";
import { until } from "./until.ts";

export interface CourierUnderTest {
  /** Not yet started; it knows these queues. */
  open(queues: readonly string[]): Promise<Courier>;
  /** A queue that no other test has. */
  queue(): string;
  /** Takes all that waits in the queue, as a consumer does that never fails. */
  taken(queue: string): Promise<readonly string[]>;
  /** Makes the queue as if it had never been. */
  forget(queue: string): Promise<void>;
  /** Nobody reaches the broker any more, or again. */
  cut(courier: Courier): void;
  mend(courier: Courier): void;
  readonly skip?: string | false;
}

const comesMs = 15_000;

export function courierContract(name: string, { skip = false, ...given }: CourierUnderTest): void {
  const opened: Courier[] = [];
  after(() => Promise.all(opened.map((courier) => courier.stop())));

  async function opening(...queues: string[]): Promise<Courier> {
    const courier = await given.open(queues);
    opened.push(courier);
    return courier;
  }

  async function running(...queues: string[]): Promise<Courier> {
    const courier = await opening(...queues);
    await courier.start();
    await until("the broker is there", courier.isUp, comesMs);
    return courier;
  }

  describe(name, { skip }, () => {
    it("carries messages in their order, and says of each that the broker has it", async () => {
      const queue = given.queue();
      const courier = await running(queue);
      const bodies = ["{}", '{"text":"ä€😀"}', JSON.stringify({ long: "x".repeat(300_000) })];
      assert.deepEqual(await courier.publish(queue, bodies), [true, true, true]);
      assert.deepEqual(await courier.publish(queue, []), []);
      assert.deepEqual(await given.taken(queue), bodies);
    });

    it("tells how many messages wait, and nothing of a queue it does not know", async () => {
      const [queue, stranger] = [given.queue(), given.queue()];
      const courier = await running(queue);
      assert.equal(await courier.depth(queue), 0);
      await courier.publish(queue, ["1", "2", "3"]);
      assert.equal(await courier.depth(queue), 3);
      assert.equal(await courier.depth(stranger), null);
      assert.deepEqual(await courier.publish(stranger, ["1"]), [false]);
      assert.equal(await courier.depth(queue), 3);
    });

    it("carries many at once, also from several at the same time", async () => {
      const [one, two] = [given.queue(), given.queue()];
      const courier = await running(one, two);
      const bodies = Array.from({ length: 2_000 }, (_, index) => `${index}`);
      const answers = await Promise.all([one, two, one].map((queue) => courier.publish(queue, bodies)));
      assert.ok(answers.flat().every(Boolean));
      assert.deepEqual(await Promise.all([courier.depth(one), courier.depth(two)]), [4_000, 2_000]);
      assert.deepEqual(await given.taken(two), bodies);
    });

    it("makes a queue again that was deleted, and loses nothing that is published afterwards", async () => {
      const queue = given.queue();
      const courier = await running(queue);
      await courier.publish(queue, ["lost"]);
      await given.forget(queue);
      assert.deepEqual(await courier.publish(queue, ["1", "2"]), [true, true]);
      assert.deepEqual(await given.taken(queue), ["1", "2"]);
      await given.forget(queue);
      assert.equal(await courier.depth(queue), 0);
      assert.deepEqual(await courier.publish(queue, ["3"]), [true]);
    });

    it("says at once that it cannot reach the broker, and tells when it can again", async () => {
      const queue = given.queue();
      const courier = await running(queue);
      let told = 0;
      courier.onUp(() => (told += 1));
      given.cut(courier);
      await until("the broker is missed", () => !courier.isUp(), comesMs);
      assert.deepEqual(await courier.publish(queue, ["1", "2"]), [false, false]);
      assert.equal(await courier.depth(queue), null);
      given.mend(courier);
      await until("the broker is there again", () => told === 1, comesMs);
      assert.equal(courier.isUp(), true);
      assert.deepEqual(await courier.publish(queue, ["3"]), [true]);
      assert.deepEqual(await given.taken(queue), ["3"]);
    });

    it("starts without a broker, and has one as soon as there is one", async () => {
      const queue = given.queue();
      const courier = await opening(queue);
      given.cut(courier);
      let told = 0;
      courier.onUp(() => (told += 1));
      await courier.start();
      assert.equal(courier.isUp(), false);
      assert.deepEqual(await courier.publish(queue, ["1"]), [false]);
      given.mend(courier);
      await until("the broker is there", () => told === 1, comesMs);
      assert.deepEqual(await courier.publish(queue, ["2"]), [true]);
    });

    it("finishes what is under way when it stops, and then carries nothing", async () => {
      const queue = given.queue();
      const courier = await running(queue);
      const last = courier.publish(queue, ["1", "2"]);
      await Promise.all([courier.stop(), courier.stop()]);
      assert.deepEqual(await last, [true, true]);
      assert.equal(courier.isUp(), false);
      assert.deepEqual(await courier.publish(queue, ["3"]), [false]);
      assert.equal(await courier.depth(queue), null);
      assert.deepEqual(await given.taken(queue), ["1", "2"]);
    });
  });
}
