// Connections that are cut at the worst moment. Whatever the store answers afterwards must be what the database holds.

import assert from "node:assert/strict";
import { describe } from "node:test";
import { Problem } from "../../core/problem.ts";
import {
  aCall,
  aDemand,
  aJob,
  aKey,
  aLogLine,
  aRefusal,
  aTaker,
  aTask,
  aWrite,
  jobName,
  taskId,
  workerId,
} from "../../testing/builders.ts";
import { scene } from "../../testing/cut-scene.ts";
import { type Cut, commitText as commit } from "../../testing/cutting-proxy.ts";
import { worldStart } from "../../testing/manual-clock.ts";
import { testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { complete, ids } from "../../testing/store-contract/stage.ts";
import { until } from "../../testing/until.ts";

const url = testDatabaseUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_DATABASE_URL is not set";
const now = worldStart + 50;
const cuts: readonly Cut[] = ["answer", "request", "midway"];

describe("PostgreSQL, when a connection is cut", { skip }, () => {
  submitting();
  exchanging();
  amending();
  waiting();
});

function submitting(): void {
  for (const cut of cuts) {
    scene(`while submitting (${cut}), the tasks are there once and were accepted`, async ({ store, proxy, lane }) => {
      const tasks = [1, 2, 3].map((n) => aTask({ id: taskId(n), lane }));
      proxy.cut(cut, "submit_tasks");
      assert.deepEqual(await store.submit([aCall({ tasks }), aCall({ tasks: [aTask({ id: taskId(4), lane })] })]), [
        { kind: "accepted" },
        { kind: "accepted" },
      ]);
      assert.equal(proxy.cuts, 1);
      assert.equal((await store.read("taskList", { limit: 9, offset: 0 })).total, 4);
    });

    scene(
      `while submitting (${cut}), a refused call is still refused and a key is not its own repetition`,
      async (s) => {
        const { store, stage, proxy, lane } = s;
        await stage.amend({ jobs: [aJob({ revision: 2 })] });
        const old = { name: jobName, revision: 1 };
        proxy.cut(cut, "submit_tasks");
        const answers = await store.submit([
          aCall({ tasks: [aTask({ id: taskId(1), lane })], jobs: [old] }),
          aCall({ tasks: [aTask({ id: taskId(2), lane })], key: aKey({ key: "a" }) }),
          aCall({ key: aKey({ key: "b" }) }),
        ]);
        assert.deepEqual(answers, [{ kind: "job-changed", job: jobName }, { kind: "accepted" }, { kind: "accepted" }]);
        const [again] = await store.submit([aCall({ key: aKey({ key: "b", bodyHash: "other" }) })]);
        assert.deepEqual(again, { kind: "repeated", first: aKey({ key: "b" }) });
      },
    );
  }

  scene("while submitting a batch that depends on itself, nothing is there twice", async ({ store, proxy, lane }) => {
    const call = (n: number) => aCall({ tasks: [aTask({ id: taskId(n), lane })], key: aKey() });
    proxy.cut("answer", commit);
    const answers = await store.submit([call(1), call(2)]);
    assert.deepEqual(answers, [{ kind: "accepted" }, { kind: "repeated", first: aKey() }]);
    assert.deepEqual(ids((await store.read("taskList", { limit: 9, offset: 0 })).items), [taskId(1)]);
  });
}

function exchanging(): void {
  for (const cut of cuts) {
    scene(`while settling and claiming (${cut}), what was written is told and no task is stranded`, async (s) => {
      const { store, stage, proxy, lane } = s;
      await stage.submit(...[1, 2, 3, 4, 5, 6].map((n) => aTask({ id: taskId(n), lane })));
      const [first, second, third] = await stage.claims([lane], { limit: 3, assign: true }, now);
      assert(first && second && third);
      await stage.settle(second, [{ type: "release", reason: "drain", delayMs: 5 }], now);
      const renewed = { ...third.row, dueAt: now + 99 };
      const writes = [
        aWrite(first, [complete], now),
        aWrite(second, [complete], now),
        { expected: third.row.version, next: renewed, outcome: null, events: [] },
      ];
      proxy.cut(cut, commit);
      const demand = aDemand({ lanes: [lane], takers: [aTaker({ limit: 2, assign: true })] });
      const { written, claimed } = await store.exchange(writes, [demand], now + 1);
      assert.equal(proxy.cuts, 1);
      assert.deepEqual(written, [true, false, true]);
      const got = claimed[0]?.[0] ?? [];
      assert.deepEqual(ids(got), [taskId(4), taskId(5)]);
      assert.deepEqual(await store.find("held", { workers: [workerId(1)], limit: 9 }), [3, 4, 5].map(taskId));
      // Whether the server had done it when the connection was cut is for the server to know, midway.
      const once = ["task.submitted", "task.assigned"];
      const again = [...once, "task.released", "task.assigned"];
      const histories = { answer: [again], request: [once], midway: [once, again] }[cut].map(String);
      for (const task of got) {
        assert.deepStrictEqual((await stage.task(task.row.id))?.row, task.row);
        assert(histories.includes(String(await stage.moves(task.row.id))));
      }
    });

    scene(`while only claiming (${cut}), what nobody was told of is given back first`, async (s) => {
      const { store, stage, proxy, lane } = s;
      await stage.submit(...[1, 2].map((n) => aTask({ id: taskId(n), lane })));
      proxy.cut(cut, "claim_one_lane");
      assert.deepEqual(ids(await stage.claims([lane], { limit: 9 }, now)), [taskId(1), taskId(2)]);
      assert.deepEqual(await store.find("forsaken", { limit: 9 }), []);
    });

    scene(`while serving several demands (${cut} of the commit), the answer is what was committed`, async (s) => {
      const { store, stage, proxy, lane } = s;
      await stage.amend({ laneLimits: [{ lane, paused: false, maxRunning: 3 }] });
      await stage.submit(...[1, 2, 3, 4, 5].map((n) => aTask({ id: taskId(n), lane })));
      const demand = aDemand({ lanes: [lane], limited: [lane], takers: [aTaker({ limit: 2 })] });
      proxy.cut(cut, commit);
      const { claimed } = await store.exchange([], [demand, demand], now);
      assert.deepEqual(
        claimed.flat(2).map((task) => task.row.id),
        [1, 2, 3].map(taskId),
      );
      assert.deepEqual(
        claimed.flat(2).map((task) => task.row.attempt),
        [1, 1, 1],
      );
      assert.deepEqual(await store.find("held", { workers: [workerId(1)], limit: 9 }), [1, 2, 3].map(taskId));
    });
  }

  scene("again and again, each task still ends once", async ({ store, stage, proxy, lane }) => {
    const total = 60;
    await stage.submit(...Array.from({ length: total }, (_, n) => aTask({ id: taskId(n), lane })));
    const ended = new Set<string>();
    let held = await stage.claims([lane], { limit: 5, assign: true }, now);
    for (let round = 0; held.length > 0; round += 1) {
      proxy.cut(round % 2 === 0 ? "answer" : "request", "claim_one_lane", round % 3);
      const writes = held.map((task) => aWrite(task, [complete], now + round));
      const demand = aDemand({ lanes: [lane], takers: [aTaker({ limit: 5, assign: true })] });
      const { written, claimed } = await store.exchange(writes, [demand], now + round);
      for (const [index, { next }] of writes.entries()) {
        assert.equal(written[index], true);
        assert.equal(ended.has(next.id), false, "a task ends once");
        ended.add(next.id);
      }
      held = claimed[0]?.[0] ?? [];
    }
    assert.equal(ended.size, total);
    assert(proxy.cuts > 5);
  });
}

function amending(): void {
  for (const cut of cuts) {
    scene(`while amending (${cut} of the commit), the amendment counts once`, async ({ store, stage, proxy, lane }) => {
      await stage.submit(aTask({ lane }));
      await stage.claim(lane, { assign: true }, now);
      const { revision } = await store.read("catalog", { after: 0 });
      proxy.cut(cut, commit);
      const amended = await store.amend({ tasks: [taskId(1)] }, (view) => {
        const task = view.tasks.get(taskId(1));
        assert(task !== undefined);
        const progress = { current: (task.row.progress?.current ?? 0) + 1, total: null, message: null };
        return {
          answer: progress.current,
          tasks: [aWrite(task, [{ type: "progress", progress }], now)],
          jobs: [aJob()],
        };
      });
      assert.equal(proxy.cuts, 1);
      assert.equal(amended.answer, 1);
      assert.equal((await stage.task(taskId(1)))?.row.progress?.current, 1);
      assert.equal((await store.read("catalog", { after: 0 })).revision, revision + 1);
    });

    scene(`while appending (${cut} of the commit), each line is there once`, async ({ store, stage, proxy, lane }) => {
      await stage.submit(aTask({ lane }));
      proxy.cut(cut, commit);
      await store.append({ logs: [aLogLine()], refusals: [aRefusal()] });
      assert.equal((await store.read("logs", { task: taskId(1), limit: 9, offset: 0 })).total, 1);
      const { refusals } = await store.read("events", { task: taskId(1), limit: 9, offset: 0 });
      assert.deepEqual(
        refusals.map(({ times }) => times),
        [1],
      );
    });
  }

  scene("before the decision, it is made anew", async ({ store, stage, proxy, lane }) => {
    await stage.submit(aTask({ lane }));
    let decisions = 0;
    proxy.cut("answer", "lock_tasks");
    await store.amend({ tasks: [taskId(1)] }, (view) => {
      decisions += 1;
      return {
        answer: null,
        tasks: [...view.tasks.values()].map((task) => aWrite(task, [{ type: "cancel", reason: null }], now)),
      };
    });
    assert.equal(decisions, 1, "nothing was seen the first time");
    assert.equal((await stage.task(taskId(1)))?.outcome?.state, "cancelled");
  });

  scene("in beats, reads and pulses, they are simply made again", async ({ store, stage, proxy }) => {
    for (const [text, ask] of [
      ["beat_sessions", () => store.beat([{ worker: workerId(1), at: now }])],
      ["select_workers_by_id", () => store.read("workers", { ids: [workerId(1)] })],
      ["find_due", () => store.find("due", { now, limit: 9 })],
      [commit, () => store.promote(now, 9)],
    ] as const) {
      proxy.cut("answer", text);
      await ask();
    }
    assert.equal(proxy.cuts, 4);
    const [worker] = await stage.store.read("workers", { ids: [workerId(1)] });
    assert.equal(worker?.session.seenAt, now);
  });
}

function waiting(): void {
  const isUnavailable = (error: unknown) => error instanceof Problem && error.code === "store-unavailable";

  scene(
    "for good, callers are told, and what nobody heard of is given back later",
    async ({ store, stage, proxy, lane }) => {
      await stage.submit(aTask({ lane }));
      proxy.cut("answer", "claim_one_lane");
      const lost = stage.claims([lane], {}, now);
      await until("the answer is lost", () => proxy.cuts === 1);
      proxy.close();
      await assert.rejects(lost, isUnavailable);
      await assert.rejects(store.submit([aCall({ tasks: [aTask({ id: taskId(2), lane })] })]), isUnavailable);
      await assert.rejects(store.read("tasks", { ids: [taskId(1)] }), isUnavailable);
      proxy.open();
      const [task] = await stage.claims([lane], {}, now + 5);
      assert.deepEqual([task?.row.id, task?.row.attempt], [taskId(1), 2]);
      assert.deepEqual(await stage.moves(taskId(1)), [
        "task.submitted",
        "task.claimed",
        "task.released",
        "task.claimed",
      ]);
    },
    100,
  );

  scene("for a while, callers wait and get their answers", async ({ store, stage, proxy, lane, log }) => {
    await stage.submit(aTask({ lane }));
    proxy.close();
    const asked = [
      stage.claims([lane], {}, now),
      store.read("tasks", { ids: [taskId(1)] }),
      store.amend({}, () => ({ answer: 1 })),
    ];
    await until("they wait", () => log.lines.some((line) => /waiting/.test(line.message)));
    proxy.open();
    const [claimed] = await Promise.all(asked);
    assert.equal((claimed as readonly unknown[]).length, 1);
  });
}
