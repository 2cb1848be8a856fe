// What the examples of the store contract share: a store with a job and a worker in it, and short words for common acts.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneKey } from "../../core/lane.ts";
import type { Move } from "../../core/task.ts";
import type { ClaimedTask, NewTask, OpenTask, TaskRecord, WorkerRecord } from "../../ports/records.ts";
import type { Amendment, Store, SubmitAnswer, Taker } from "../../ports/store.ts";
import { aCall, aDemand, aJob, aLaneKey, aTaker, aWorker, aWrite, workerId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";

/**
 * An empty store that has not been started; where making one is slow, a used database may be emptied and handed out
 * again. `second` makes another server's store on the same database, not started either.
 */
export interface StoreUnderTest {
  readonly store: Store;
  dispose(): Promise<void>;
  readonly second?: () => Promise<Store>;
}

/** Gives a store under test, a new one for each test. */
export type MakeStore = () => Promise<StoreUnderTest>;

export type Example = (sentence: string, body: (stage: Stage) => Promise<void>) => void;

/** Makes each example a test on a store of its own. */
export function examplesOn(makeStore: MakeStore): Example {
  return (sentence, body) => {
    test(sentence, { timeout: 60_000 }, async () => {
      const { store, dispose } = await makeStore();
      try {
        await store.start();
        await body(stageOn(store));
      } finally {
        await store.stop();
        await dispose();
      }
    });
  };
}

export type Stage = ReturnType<typeof stageOn>;

export function stageOn(store: Store) {
  const amend = (amendment: Partial<Amendment<null>>) => store.amend({}, () => ({ answer: null, ...amendment }));
  const claims = async (lanes: readonly number[], taker: Partial<Taker> = {}, now = worldStart) => {
    const demand = aDemand({ lanes, takers: [aTaker(taker)] });
    const { claimed } = await store.exchange([], [demand], now);
    return claimed[0]?.[0] as readonly ClaimedTask[];
  };
  return {
    store,
    amend,
    /** Registers the job and the worker that builders name when they are not told otherwise. */
    async begin(): Promise<number> {
      await amend({ jobs: [aJob()], workers: [aWorker()] });
      return this.lane();
    },
    async lane(about: Partial<LaneKey> = {}): Promise<number> {
      const { lanes } = await amend({ lanes: [aLaneKey(about)] });
      return (lanes[0] as { id: number }).id;
    },
    async worker(n: number, about: Parameters<typeof aWorker>[0] = {}): Promise<WorkerRecord> {
      const worker = aWorker({ id: workerId(n), ...about });
      await amend({ workers: [worker] });
      return worker;
    },
    async submit(...tasks: readonly NewTask[]): Promise<void> {
      const answers = await store.submit([aCall({ tasks })]);
      assert.deepEqual(answers, [{ kind: "accepted" }] satisfies SubmitAnswer[]);
    },
    claims,
    async claim(lane: number, taker: Partial<Taker> = {}, now = worldStart): Promise<ClaimedTask> {
      const [task] = await claims([lane], taker, now);
      assert(task !== undefined, "there was no task to claim");
      return task;
    },
    /** Settles a task by moves; says whether that was what counted. */
    async settle(task: OpenTask, moves: readonly Move[], now = worldStart): Promise<boolean> {
      const { written } = await store.exchange([aWrite(task, moves, now)], [], now);
      return written[0] as boolean;
    },
    async task(id: string): Promise<TaskRecord | undefined> {
      const [task] = await store.read("tasks", { ids: [id] });
      return task;
    },
    /** The events of a task, by type. */
    async moves(id: string): Promise<string[]> {
      const { items } = await store.read("events", { task: id, limit: 1_000, offset: 0 });
      return items.map((event) => event.type);
    },
  };
}

export const ids = (tasks: readonly { readonly card: { readonly id: string } }[]): string[] =>
  tasks.map((task) => task.card.id);

export const complete = { type: "complete", result: '{"ok":true}' } as const satisfies Move;
export const start = { type: "start" } as const satisfies Move;
export const cancel = { type: "cancel", reason: null } as const satisfies Move;
