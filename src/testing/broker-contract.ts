// What every broker promises (ports/broker.ts), and what the engine builds on: the fake one too, so that tests of the
// engine with it say something about the real one. An adapter's test file is one call of this.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Assignment, Ending, Hold } from "../core/internal-job.ts";
import type { Broker, Reports } from "../ports/broker.ts";
import { until } from "./until.ts";

export interface BrokerUnderTest {
  /** Not yet started. Runs `quick`, which answers its payload, and `slow`, which ends only when it is aborted. */
  open(places: number): Broker;
  readonly quick: string;
  readonly slow: string;
  /** Lets a quick handler that was accepted and may run come to its end, where that does not happen by itself. */
  finish?(broker: Broker, hold: Hold): Promise<void>;
}

interface Told {
  readonly started: Hold[];
  readonly ended: { readonly hold: Hold; readonly ending: Ending }[];
}

export function brokerContract(name: string, { open, quick, slow, finish }: BrokerUnderTest): void {
  const opened: Broker[] = [];
  after(() => Promise.all(opened.map((broker) => broker.stop())));

  async function started(places: number, may = true): Promise<{ broker: Broker; told: Told }> {
    const told: Told = { started: [], ended: [] };
    const reports: Reports = {
      async started(hold) {
        told.started.push(hold);
        return may;
      },
      progressed() {},
      logged() {},
      ended: (hold, ending) => void told.ended.push({ hold, ending }),
      placed() {},
    };
    const broker = open(places);
    opened.push(broker);
    await broker.start(reports);
    return { broker, told };
  }

  const endOf = (told: Told, task: string) => told.ended.find(({ hold }) => hold.task === task)?.ending;

  describe(name, () => {
    it("tells which jobs it runs", async () => {
      const broker = open(1);
      opened.push(broker);
      const nothing = { progressed() {}, logged() {}, ended() {}, placed() {} };
      const jobs = await broker.start({ ...nothing, started: async () => true });
      const names = jobs.map((job) => job.name);
      assert.ok(names.includes(quick) && names.includes(slow));
    });

    it("asks before a handler runs, and tells how it ended, once", async () => {
      const { broker, told } = await started(1);
      const one = assignment(quick, 1, '{"x":[1.50]}');
      assert.deepEqual(await broker.dispatch([one]), [true]);
      await finish?.(broker, one);
      await until("it has ended", () => told.ended.length === 1);
      assert.deepEqual(told.started.map(textOf), [textOf(one)]);
      assert.deepEqual(endOf(told, one.task), { type: "completed", result: '{"x":[1.5]}' });
    });

    it("accepts no more than it has places for, and no job it does not know", async () => {
      const { broker, told } = await started(2);
      const [one, two, three] = [assignment(slow, 1), assignment(slow, 2), assignment(slow, 3)];
      assert.deepEqual(await broker.dispatch([assignment("@internal:modifiers:None", 4)]), [false]);
      assert.deepEqual(await broker.dispatch([one, two, three]), [true, true, false]);
      broker.abort(one, "enough");
      await until("a place is free", () => told.ended.length === 1);
      assert.deepEqual(await broker.dispatch([three]), [true]);
    });

    it("ends what is aborted, and nothing else", async () => {
      const { broker, told } = await started(2);
      const [one, two] = [assignment(slow, 1), assignment(slow, 2)];
      await broker.dispatch([one, two]);
      broker.abort({ ...one, attempt: 2 }, "another attempt");
      broker.abort(assignment(slow, 9), "nobody's");
      broker.abort(one, "cancelled");
      await until("it has ended", () => told.ended.length > 0);
      assert.deepEqual(
        told.ended.map(({ hold, ending }) => [hold.task, ending.type]),
        [[one.task, "failed"]],
      );
    });

    it("leaves nothing running once it has stopped, and takes nothing any more", async () => {
      const { broker, told } = await started(2);
      const one = assignment(slow, 1);
      await broker.dispatch([one]);
      await broker.stop();
      await broker.stop();
      const { type } = endOf(told, one.task) ?? { type: "none" };
      assert.ok(type === "failed" || type === "later", `it ended as ${type}`);
      assert.deepEqual(await broker.dispatch([assignment(quick, 2)]), [false]);
    });
  });
}

function assignment(job: string, number: number, payload = "{}"): Assignment {
  const task = `00000000-0000-7000-8000-00000000000${number}`;
  return { task, attempt: 1, worker: "w", job, room: "lab", payload, checkpoint: null };
}

function textOf({ task, attempt, worker }: Hold): string {
  return `${task} ${attempt} ${worker}`;
}
