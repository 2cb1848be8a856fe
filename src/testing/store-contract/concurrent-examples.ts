// Many calls at once: on two servers where the store has a second one, else on one store that is asked many things
// before it has answered the first. Whoever is told that a move counted must find it in the history.

import assert from "node:assert/strict";
import { historyFault } from "../../core/history.ts";
import type { ClaimedTask, TaskWrite } from "../../ports/records.ts";
import type { Store } from "../../ports/store.ts";
import {
  aCall,
  aDemand,
  aJob,
  aKey,
  aLaneKey,
  aNode,
  aPulse,
  aTaker,
  aTask,
  aWrite,
  jobName,
  nodeId,
  taskId,
} from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { atOnceOn, type ExampleAtOnce, numbers, storeOf } from "./at-once.ts";
import { cancel, complete, ids, type MakeStore } from "./stage.ts";
import { tokenRaces } from "./token-races.ts";

const now = worldStart + 50;
const long = 1_000_000_000_000;

export function concurrentExamples(makeStore: MakeStore): void {
  const example = atOnceOn(makeStore);
  claimsAtOnce(example);
  racesAtOnce(example);
  catalogAtOnce(example);
  tokenRaces(example);
}

function claimsAtOnce(example: ExampleAtOnce): void {
  example("however many ask at once, each task goes to one of them", async (stores, stage) => {
    const lanes = [await stage.begin(), await stage.lane({ queue: "b" }), await stage.lane({ queue: "c" })];
    const tasks = numbers(400).map((n) => aTask({ id: taskId(n), lane: lanes[n % 3] as number, priority: n % 4 }));
    await stage.submit(...tasks);
    const got: ClaimedTask[] = [];
    await Promise.all(
      numbers(8).map(async (n) => {
        for (let tries = 0; tries < 1_000 && got.length < tasks.length; tries += 1) {
          const demand = aDemand({ lanes, takers: [aTaker({ limit: 1 + (n % 7) })] });
          const { claimed } = await storeOf(stores, n).exchange([], [demand], now);
          got.push(...claimed.flat(2));
        }
      }),
    );
    assert.deepEqual(ids(got).sort(), ids(tasks).sort());
    await allFold(stage.store);
  });

  example("however many ask at once, a limited lane keeps its limit", async (stores, stage) => {
    const lane = await stage.begin();
    await stage.amend({ laneLimits: [{ lane, paused: false, maxRunning: 3 }] });
    await stage.submit(...numbers(50).map((n) => aTask({ id: taskId(n), lane })));
    const demand = aDemand({ lanes: [lane], limited: [lane], takers: [aTaker({ limit: 2 })] });
    const answers = await Promise.all(numbers(10).map((n) => storeOf(stores, n).exchange([], [demand], now)));
    const got = answers.flatMap(({ claimed }) => claimed.flat(2));
    assert(got.length <= 3, `${got.length} tasks went out`);
    const { claimed } = await stage.store.exchange([], [demand, demand], now);
    assert.equal(got.length + claimed.flat(2).length, 3);
  });

  example("settling, giving back, cancelling and claiming at once loses no move", async (stores, stage) => {
    const lane = await stage.begin();
    const total = 200;
    const retrying = { retry: { maxAttempts: 2, baseMs: 0 } };
    await stage.submit(...numbers(total).map((n) => aTask({ id: taskId(n), lane, policy: retrying })));
    const attempts: string[] = [];
    const ends = new Map<string, string>();
    const finish = (write: TaskWrite) => {
      if (write.outcome === null) return;
      assert.equal(ends.has(write.next.id), false, "a task ends once");
      ends.set(write.next.id, write.outcome.state);
    };
    const worker = async (n: number) => {
      let held: readonly ClaimedTask[] = [];
      for (let tries = 0; tries < 2_000 && ends.size < total; tries += 1) {
        const writes = held.map((task, index) => nextStep(task, n + index + tries));
        const demand = aDemand({ lanes: [lane], takers: [aTaker({ limit: 3, assign: true })] });
        const { written, claimed } = await storeOf(stores, n).exchange(writes, [demand], now);
        writes.filter((_, index) => written[index]).forEach(finish);
        held = claimed.flat(2);
        attempts.push(...held.map(({ row }) => `${row.id} ${row.attempt}`));
        await storeOf(stores, n).promote(now, 10);
      }
    };
    const canceller = async (n: number) => {
      for (let from = n; from < total; from += 40) {
        const tasks = [from, (from * 7) % total].map(taskId);
        const amended = await storeOf(stores, n).amend({ tasks }, (view) => {
          const writes = [...view.tasks.values()].map((task) => aWrite(task, [cancel], now));
          return { answer: writes, tasks: writes };
        });
        amended.answer.forEach(finish);
      }
    };
    await Promise.all([...numbers(6).map(worker), ...numbers(4).map(canceller)]);
    assert.equal(ends.size, total);
    assert.equal(new Set(attempts).size, attempts.length, "no attempt is handed out twice");
    const histories = await allFold(stage.store);
    assert.deepEqual(new Map(histories.map(({ task }) => [task.row.id, task.outcome?.state])), ends);
    const counted = histories.flatMap(({ events }) => events.filter((event) => event.type === "task.assigned"));
    assert.deepEqual(counted.map((event) => `${event.task} ${event.attempt}`).sort(), attempts.sort());
  });
}

function racesAtOnce(example: ExampleAtOnce): void {
  example(
    "a result and a cancel that race have one winner, and it is the one that was told so",
    async (stores, stage) => {
      const lane = await stage.begin();
      await stage.submit(...numbers(60).map((n) => aTask({ id: taskId(n), lane })));
      const held = await stage.claims([lane], { limit: 60, assign: true }, now);
      const told = await Promise.all(
        held.map(async (task) => {
          const [result, cancelled] = await Promise.all([
            stores[0].exchange([aWrite(task, [complete], now)], [], now),
            stores[1].amend({ tasks: [task.card.id] }, (view) => {
              const open = view.tasks.get(task.card.id);
              return { answer: open !== undefined, tasks: open === undefined ? [] : [aWrite(open, [cancel], now)] };
            }),
          ]);
          return { completed: result.written[0], cancelled: cancelled.answer };
        }),
      );
      for (const [n, { completed, cancelled }] of told.entries()) {
        assert.notEqual(completed, cancelled, "one of the two counts");
        const task = await stage.task(taskId(n));
        assert.equal(task?.outcome?.state, completed ? "completed" : "cancelled");
      }
      await allFold(stage.store);
    },
  );

  example("a key used many times at once counts once, and all are told who was first", async (stores, stage) => {
    const lane = await stage.begin();
    const answers = await Promise.all(
      numbers(12).map(async (n) => {
        const key = aKey({ bodyHash: `${n}` });
        const [answer] = await storeOf(stores, n).submit([aCall({ tasks: [aTask({ id: taskId(n), lane })], key })]);
        return { n, answer };
      }),
    );
    const accepted = answers.filter(({ answer }) => answer?.kind === "accepted");
    assert.equal(accepted.length, 1);
    const first = aKey({ bodyHash: `${accepted[0]?.n}` });
    for (const { answer } of answers.filter((other) => other !== accepted[0])) {
      assert.deepStrictEqual(answer, { kind: "repeated", first });
    }
    assert.deepEqual(ids(await stage.claims([lane], { limit: 99 }, now)), [taskId(accepted[0]?.n as number)]);
  });

  example(
    "no task is accepted for a job once it is gone, nor a child once its parent has ended",
    async (stores, stage) => {
      const lane = await stage.begin();
      await stage.submit(aTask({ id: taskId(1), lane }));
      let gone = false;
      const leave = async () => {
        await stores[1].amend({ jobs: [jobName], tasks: [taskId(1)] }, (view) => ({
          answer: null,
          jobs: [aJob({ deleted: true, revision: 2 })],
          tasks: [...view.tasks.values()].map((task) => aWrite(task, [cancel], now)),
        }));
        gone = true;
      };
      const kinds = await Promise.all(
        numbers(40).map(async (n) => {
          if (n === 10) await leave();
          const after = gone;
          const jobs = n % 2 === 0 ? [{ name: jobName, revision: 1 }] : [];
          const tasks = [aTask({ id: taskId(100 + n), lane, parent: n % 2 === 0 ? null : taskId(1) })];
          const [answer] = await storeOf(stores, n).submit([aCall({ tasks, jobs })]);
          if (after) assert.notEqual(answer?.kind, "accepted", "it began after the end");
          return answer?.kind;
        }),
      );
      const { total } = await stage.store.read("taskList", { limit: 1, offset: 0 });
      assert.equal(total, 1 + kinds.filter((kind) => kind === "accepted").length);
      const late = await stage.store.submit([
        aCall({ tasks: [aTask({ id: taskId(900), lane })], jobs: [{ name: jobName, revision: 1 }] }),
        aCall({ tasks: [aTask({ id: taskId(901), lane, parent: taskId(1) })] }),
      ]);
      assert.deepEqual(
        late.map((answer) => answer.kind),
        ["job-changed", "parent-closed"],
      );
    },
  );
}

function catalogAtOnce(example: ExampleAtOnce): void {
  example("amendments that name the same tasks in different orders all come through", async (stores, stage) => {
    const lane = await stage.begin();
    await stage.submit(...numbers(6).map((n) => aTask({ id: taskId(n), lane })));
    await stage.claims([lane], { limit: 6, assign: true }, now);
    await Promise.all(
      numbers(60).map((n) => {
        const order = numbers(6).map((m) => taskId(n % 2 === 0 ? m : 5 - m));
        const scope = { tasks: order.slice(0, 4), parents: order.slice(4) };
        return storeOf(stores, n >> 1).amend(scope, (view) => ({
          answer: null,
          tasks: [...view.tasks.values()].map((task) => {
            const current = (task.row.progress?.current ?? 0) + 1;
            return aWrite(task, [{ type: "progress", progress: { current, total: null, message: null } }], now);
          }),
        }));
      }),
    );
    const histories = await allFold(stage.store);
    assert.deepEqual(
      histories.map(({ task }) => task.row.progress?.current),
      numbers(6).map(() => 60),
    );
  });

  example(
    "a lane asked for many times at once is made once, and each change has a revision of its own",
    async (stores, stage) => {
      const made = await Promise.all(
        numbers(12).map((n) => {
          const keys = [aLaneKey({ queue: `q${n % 3}` }), aLaneKey({ queue: `only ${n}` })];
          return storeOf(stores, n).amend({}, () => ({ answer: null, lanes: keys }));
        }),
      );
      const shared = made.map(({ lanes }) => lanes[0]?.id);
      assert.equal(new Set(shared).size, 3);
      const { revision, lanes } = await stage.store.read("catalog", { after: 0 });
      assert.deepEqual([revision, lanes.length], [12, 15]);
    },
  );

  example("of nodes that pulse at once exactly one leads", async (stores) => {
    const pulses = await Promise.all(
      numbers(6).map((n) => {
        const node = aNode({ id: nodeId(n) });
        return storeOf(stores, n).pulse(aPulse({ node, now, leaseMs: long }));
      }),
    );
    assert.equal(pulses.filter((pulse) => pulse.leader).length, 1);
  });
}

/** Completes most, gives some back for a while, lets some fail and be tried again. */
function nextStep(task: ClaimedTask, n: number): TaskWrite {
  const giveBack = n % 5 === 0 && task.row.attempt < 4;
  if (giveBack) return aWrite(task, [{ type: "release", reason: "drain" }], now);
  if (n % 5 !== 1) return aWrite(task, [complete], now);
  return aWrite(task, [{ type: "fail", error: { message: "no", code: null, details: null } }], now);
}

async function allFold(store: Store) {
  const histories = await store.read("histories", { after: null, limit: 1_000 });
  for (const { task, events } of histories) assert.equal(historyFault(events, task.row), null);
  return histories;
}
