import assert from "node:assert/strict";
import { aNode, anOutboxItem, aPulse, aTask, itemId, nodeId, taskId, workerId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { complete, type Example, ids, type Stage } from "./stage.ts";

const now = worldStart + 50;

export function timeExamples(example: Example): void {
  beats(example);
  promotions(example);
  pulses(example);
}

function beats(example: Example): void {
  const seenAt = async (stage: Stage, n: number) =>
    (await stage.store.read("workers", { ids: [workerId(n)] }))[0]?.session.seenAt;

  example("a beat is remembered, and no session goes back in time", async (stage) => {
    await stage.begin();
    assert.deepEqual(await stage.store.beat([{ worker: workerId(1), at: now }]), []);
    assert.equal(await seenAt(stage, 1), now);
    assert.deepEqual(await stage.store.beat([{ worker: workerId(1), at: now - 10 }]), []);
    assert.equal(await seenAt(stage, 1), now);
    assert.deepEqual(await stage.store.beat([]), []);
  });

  example("those whose session is over are named in the order asked for, the others live on", async (stage) => {
    await stage.worker(1);
    await stage.worker(2, { session: { lostAt: worldStart } });
    await stage.worker(3, { session: { removedAt: worldStart } });
    await stage.worker(4, { session: { seenAt: worldStart - 1e9 } });
    const asked = [99, 4, 3, 1, 2].map((n) => ({ worker: workerId(n), at: now + n }));
    assert.deepEqual(await stage.store.beat(asked), [99, 3, 2].map(workerId));
    assert.deepEqual(
      await Promise.all([1, 2, 3, 4].map((n) => seenAt(stage, n))),
      [now + 1, worldStart, worldStart, now + 4],
      "overdue but not fenced lives on",
    );
  });
}

function promotions(example: Example): void {
  example("delayed tasks become ready at their time, in order, and that is no move", async (stage) => {
    const [a, b] = [await stage.begin(), await stage.lane({ queue: "b" })];
    await stage.submit(
      aTask({ id: taskId(1), lane: b, runAt: now + 2 }),
      aTask({ id: taskId(2), lane: a, runAt: now + 1 }),
      aTask({ id: taskId(3), lane: b, runAt: now + 1 }),
      aTask({ id: taskId(4), lane: a, runAt: now + 3, priority: 9 }),
    );
    assert.deepEqual(await stage.store.promote(now, 9), { count: 0, lanes: [], tasks: [] });
    assert.deepEqual(await stage.store.promote(now + 2, 1), { count: 1, lanes: [a], tasks: [taskId(2)] });
    assert.deepEqual(await stage.store.promote(now + 2, 1), { count: 1, lanes: [b], tasks: [taskId(3)] });
    assert.deepEqual(await stage.store.promote(now + 2, 9), { count: 1, lanes: [b], tasks: [taskId(1)] });
    const [task] = await stage.store.read("tasks", { ids: [taskId(2)] });
    assert.deepEqual([task?.row.runAt, task?.row.version, task?.row.activeAt], [null, 1, worldStart]);
    assert.deepEqual(await stage.moves(taskId(2)), ["task.submitted"]);
    assert.deepEqual(await stage.store.promote(now + 1e9, 9), { count: 1, lanes: [a], tasks: [taskId(4)] });
    assert.deepEqual(ids(await stage.claims([a, b], { limit: 9 }, now)), [4, 1, 2, 3].map(taskId));
  });

  example("lanes of a promotion are named once, ascending", async (stage) => {
    const [a, b] = [await stage.begin(), await stage.lane({ queue: "b" })];
    const lanes = [b, a, b, a];
    await stage.submit(...lanes.map((lane, n) => aTask({ id: taskId(n), lane, runAt: now + n })));
    assert.deepEqual(await stage.store.promote(now + 9, 9), {
      count: 4,
      lanes: [a, b],
      tasks: [0, 1, 2, 3].map(taskId),
    });
  });

  example("a delayed task that was cancelled, or tried again, is promoted as it stands", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane, policy: { retry: { maxAttempts: 2, baseMs: 100 } } }));
    const task = await stage.claim(lane, { assign: true }, now);
    const error = { message: "again", code: null, details: null };
    await stage.settle(task, [{ type: "fail", error }], now);
    assert.deepEqual(await stage.claims([lane], {}, now + 1e6), [], "delayed until it is promoted");
    assert.deepEqual(await stage.store.promote(now + 99, 9), { count: 0, lanes: [], tasks: [] });
    assert.deepEqual(await stage.store.promote(now + 100, 9), { count: 1, lanes: [lane], tasks: [task.card.id] });
    assert.equal((await stage.claim(lane, {}, now + 100)).row.attempt, 2);
  });
}

function pulses(example: Example): void {
  const node = (n: number) => aNode({ id: nodeId(n), address: n === 1 ? null : `10.0.0.${n}:80`, version: `1.0.${n}` });
  const long = 1_000_000_000_000;

  example("a pulse of an empty store knows its node, which leads", async (stage) => {
    const pulse = await stage.store.pulse(aPulse({ node: node(2), now }));
    const { seenAt } = pulse.nodes[0] ?? { seenAt: 0 };
    assert.deepStrictEqual(pulse, {
      ...{ now: pulse.now, leader: true, nodes: [{ ...node(2), seenAt }], lanes: [], catalog: 0, outbox: false },
      ...{ nextRunAt: null, nextDueAt: null, nextLostAt: null },
    });
    assert.equal(seenAt, pulse.now);
  });

  example("one node leads until it leaves; then the next to ask does", async (stage) => {
    const ask = async (n: number, staying = true) => {
      const { leader, nodes } = await stage.store.pulse(aPulse({ node: node(n), now, leaseMs: long, staying }));
      return [leader, nodes.map((other) => other.id)];
    };
    assert.deepEqual(await ask(2), [true, [nodeId(2)]]);
    assert.deepEqual(await ask(1), [false, [nodeId(1), nodeId(2)]]);
    assert.deepEqual(await ask(2), [true, [nodeId(1), nodeId(2)]]);
    assert.deepEqual(await ask(3, false), [false, [nodeId(1), nodeId(2)]], "one that leaves does not lead");
    assert.deepEqual(await ask(1), [false, [nodeId(1), nodeId(2)]]);
    assert.deepEqual(await ask(2, false), [false, [nodeId(1)]]);
    assert.deepEqual(await ask(3), [true, [nodeId(1), nodeId(3)]]);
    assert.deepEqual(await ask(1), [false, [nodeId(1), nodeId(3)]]);
  });

  example("every node is listed with what it says of itself, the leader too", async (stage) => {
    const busy = { skewMs: -12, load: '{"tasks":3,"new":"é"}' };
    assert.deepEqual(await stage.store.read("nodes", { now }), { nodes: [], leader: null });
    await stage.store.pulse(aPulse({ node: node(2), now, leaseMs: long }));
    await stage.store.pulse(aPulse({ node: { ...node(1), ...busy }, now, leaseMs: long }));
    const { nodes, leader } = await stage.store.read("nodes", { now });
    const seen = nodes.map(({ seenAt, ...rest }) => rest);
    assert.deepStrictEqual([seen, leader], [[{ ...node(1), ...busy }, node(2)], nodeId(2)]);
    await stage.store.pulse(aPulse({ node: node(2), now, leaseMs: long, staying: false }));
    const left = await stage.store.read("nodes", { now });
    assert.deepEqual([left.nodes.map(({ id }) => id), left.leader], [[nodeId(1)], null]);
  });

  example("a node whose lease of leadership is over is listed, and does not lead", async (stage) => {
    await stage.store.pulse(aPulse({ node: node(1), now, leaseMs: 0 }));
    const { nodes, leader } = await stage.store.read("nodes", { now: now + long });
    assert.deepEqual([nodes.map(({ id }) => id), leader], [[nodeId(1)], null]);
  });

  example("leadership whose lease has ended goes to the next to ask", async (stage) => {
    const ask = async (n: number, leaseMs: number) =>
      (await stage.store.pulse(aPulse({ node: node(n), now, leaseMs }))).leader;
    assert.equal(await ask(1, 0), true, "a lease of no length ends at once");
    assert.equal(await ask(2, long), true);
    assert.equal(await ask(1, long), false);
  });

  example("a node that is not heard of within the lease is not listed, but the one that asks is", async (stage) => {
    await stage.store.pulse(aPulse({ node: node(1), now }));
    const { nodes } = await stage.store.pulse(aPulse({ node: node(2), now, leaseMs: 0 }));
    assert.deepEqual(
      nodes.map((other) => other.id),
      [nodeId(2)],
    );
  });

  example("a pulse tells the lanes with work and the next times at which something is due", async (stage) => {
    const [a, b] = [await stage.begin(), await stage.lane({ queue: "b" })];
    const lanes = [b, a, a];
    await stage.worker(2, { session: { seenAt: worldStart, lostMs: 30_000 } });
    await stage.worker(3, { session: { seenAt: worldStart, lostMs: 10_000, lostAt: now } });
    await stage.worker(4, { session: { seenAt: worldStart, lostMs: 10_000, removedAt: now } });
    await stage.submit(
      ...lanes.map((lane, n) => aTask({ id: taskId(n), lane })),
      ...[7, 5, 6].map((n) => aTask({ id: taskId(10 + n), lane: b, runAt: now + n })),
    );
    const look = () => stage.store.pulse(aPulse({ now }));
    const first = await look();
    assert.deepEqual(first.lanes, [a, b]);
    assert.deepEqual([first.nextRunAt, first.nextDueAt, first.nextLostAt], [now + 5, null, worldStart + 30_000]);
    const [early] = await stage.claims([b], { limit: 1, assign: true, dueMs: 500 }, now);
    await stage.claims([a], { limit: 2, dueMs: 900 }, now);
    await stage.store.beat([{ worker: workerId(2), at: worldStart + 40_000 }]);
    const second = await look();
    assert.deepEqual(second.lanes, []);
    assert.deepEqual([second.nextDueAt, second.nextLostAt], [now + 500, worldStart + 60_000]);
    if (early) await stage.settle(early, [complete], now);
    assert.equal((await look()).nextDueAt, now + 900);
  });

  example("a pulse tells the catalog's revision and whether an item of the outbox is due", async (stage) => {
    await stage.begin();
    const look = async () => {
      const { catalog, outbox } = await stage.store.pulse(aPulse({ now }));
      return [catalog, outbox];
    };
    assert.deepEqual(await look(), [2, false]);
    await stage.amend({ outbox: [anOutboxItem({ id: itemId(2), at: now + 3e12 })] });
    assert.deepEqual(await look(), [2, false]);
    await stage.amend({ outbox: [anOutboxItem()] });
    assert.deepEqual(await look(), [2, true]);
    await stage.amend({ outboxDone: [itemId(1)] });
    assert.deepEqual(await look(), [2, false]);
  });
}
