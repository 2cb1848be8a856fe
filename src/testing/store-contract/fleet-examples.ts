import assert from "node:assert/strict";
import { pauseKey } from "../../core/pause.ts";
import type { AuditEntry, OpenTask } from "../../ports/records.ts";
import { aCall, aCommand, anEntry, aPause, aSlice, aTask, jobName, taskId, workerId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { complete, type Example, start } from "./stage.ts";

const all = { limit: 100, offset: 0 };
const odd = 'the "nightly" one, {a}, é\\ \u0001\'';

export function fleetExamples(example: Example): void {
  example("a pause is told with the catalog, and so is its end", async ({ amend, store }) => {
    const job = aPause({ note: odd, until: worldStart + 5 });
    const queue = aPause({ kind: "queue", name: odd, by: "Grüße" });
    await amend({ pauses: [queue, job] });
    const first = await store.read("catalog", { after: 0 });
    assert.deepStrictEqual(first.pauses, [job, queue]);
    const ended = { ...job, endedAt: worldStart + 7 };
    await amend({ pauses: [ended] });
    assert.deepStrictEqual((await store.read("catalog", { after: first.revision })).pauses, [ended]);
    assert.deepStrictEqual((await store.read("catalog", { after: 0 })).pauses, [queue]);
  });

  example("what was paused before is paused anew in one row", async ({ amend, store }) => {
    await amend({ pauses: [aPause({ endedAt: worldStart + 1 })] });
    const again = aPause({ by: "eve", at: worldStart + 2 });
    await amend({ pauses: [again] });
    assert.deepStrictEqual((await store.read("catalog", { after: 0 })).pauses, [again]);
  });

  example("the end of a pause that another has replaced ends nothing", async ({ amend, store }) => {
    const first = aPause({ until: worldStart + 5 });
    const longer = aPause({ at: worldStart + 2, until: worldStart + 50 });
    await amend({ pauses: [first] });
    await amend({ pauses: [longer] });
    await amend({ pauses: [{ ...first, endedAt: worldStart + 5 }] });
    assert.deepStrictEqual((await store.read("catalog", { after: 0 })).pauses, [longer]);
  });

  example("a pause is shown to who means to change it, also one that is over", async ({ amend, store }) => {
    const standing = aPause({ kind: "queue", name: odd, until: worldStart + 5 });
    const over = aPause({ endedAt: worldStart + 1 });
    await amend({ pauses: [standing, over, aPause({ kind: "worker", name: "another" })] });
    const scope = [standing, over, { kind: "job", name: odd }, { kind: "queue", name: "\u0000" }] as const;
    const { answer } = await store.amend({ pauses: scope }, (view) => ({ answer: view.pauses }));
    assert.deepStrictEqual(
      [...answer].sort(([a], [b]) => (a < b ? -1 : 1)),
      [over, standing].map((pause) => [pauseKey(pause), pause]),
    );
  });

  example("of several that end the same pause at once, one finds it standing", async ({ amend, store }) => {
    const pause = aPause();
    await amend({ pauses: [pause] });
    const ends = Array.from({ length: 10 }, (_, nth) =>
      store.amend({ pauses: [pause] }, ({ pauses }) => {
        const found = pauses.get(pauseKey(pause));
        if (found === undefined || found.endedAt !== null) return { answer: false };
        return { answer: true, pauses: [{ ...found, endedAt: worldStart + nth }] };
      }),
    );
    const answers = (await Promise.all(ends)).map(({ answer }) => answer);
    assert.equal(answers.filter(Boolean).length, 1);
  });

  example("commands of a worker are listed newest first, and found one by one", async ({ amend, store }) => {
    const mine = ["c1", "c3", "c2"].map((id) => aCommand({ id, note: odd, args: '{"value":4}' }));
    await amend({ commands: [...mine, aCommand({ id: "c4", worker: workerId(2) })] });
    const page = await store.read("commands", { worker: workerId(1), limit: 2, offset: 1 });
    assert.deepStrictEqual(page, { items: [mine[2], mine[0]], total: 3, totalExact: true });
    assert.deepStrictEqual(await store.read("command", { id: "c1" }), mine[0]);
    for (const id of ["", "C1", "\u0000", "\ud800"]) assert.equal(await store.read("command", { id }), null);
  });

  example("what was delivered and acknowledged stays so, since the first time", async ({ amend, store }) => {
    await amend({ commands: [aCommand()] });
    await amend({ commands: [aCommand({ deliveredAt: worldStart + 1 })] });
    await amend({ commands: [aCommand({ deliveredAt: worldStart + 2, ackedAt: worldStart + 3, answer: '"done"' })] });
    await amend({ commands: [aCommand({ deliveredAt: null, ackedAt: worldStart + 9, answer: '"again"' })] });
    const kept = aCommand({ deliveredAt: worldStart + 1, ackedAt: worldStart + 3, answer: '"done"' });
    assert.deepStrictEqual(await store.read("command", { id: kept.id }), kept);
  });

  example(
    "commands that wait for their worker are found, oldest first, until they expire",
    async ({ amend, store }) => {
      const open = [aCommand({ id: "c2", expiresAt: worldStart + 5 }), aCommand({ id: "c1", worker: workerId(2) })];
      const done = aCommand({ id: "c0", ackedAt: worldStart });
      await amend({ commands: [...open, done, aCommand({ id: "c3", worker: workerId(3) })] });
      const found = async (now: number, limit = 10) => {
        const commands = await store.find("commands", { workers: [workerId(1), workerId(2)], now, limit });
        return commands.map(({ id }) => id);
      };
      assert.deepEqual(await found(worldStart + 4), ["c1", "c2"]);
      assert.deepEqual(await found(worldStart + 4, 1), ["c1"]);
      assert.deepEqual(await found(worldStart + 5), ["c1"]);
      assert.deepEqual(await store.find("commands", { workers: [], now: worldStart, limit: 10 }), []);
    },
  );

  example("a submit and a removal are written down as acts, but not where they were refused", async (stage) => {
    const lane = await stage.begin();
    const entries = async () => (await stage.store.read("audit", all)).items;
    const first = anEntry({ id: "e1", note: odd });
    const call = (n: number, revision: number, audit: AuditEntry) =>
      aCall({ tasks: [aTask({ id: taskId(n), lane })], jobs: [{ name: jobName, revision }], audit: [audit] });
    const answers = await stage.store.submit([call(1, 1, first), call(2, 9, anEntry({ id: "e2" }))]);
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      ["accepted", "job-changed"],
    );
    assert.deepStrictEqual(await entries(), [first]);
    const remove = (audit: AuditEntry) => stage.store.prune(aSlice({ tasks: [taskId(1)], audit: [audit] }));
    assert.equal(await remove(anEntry({ id: "e3" })), 0, "it is open");
    await stage.settle(await stage.claim(lane), [start, complete]);
    assert.equal(await remove(anEntry({ id: "e4" })), 1);
    assert.equal(await remove(anEntry({ id: "e5" })), 0, "it is gone");
    assert.deepStrictEqual(await entries(), [anEntry({ id: "e4" }), first]);
  });

  example("the load of workers and lanes is what is in hand, without what waits or is deferred", async (stage) => {
    const [a, b] = [await stage.begin(), await stage.lane({ queue: "b" })];
    await stage.worker(2);
    await stage.submit(
      ...[1, 2, 3, 4].map((n) => aTask({ id: taskId(n), lane: a })),
      ...[5, 6].map((n) => aTask({ id: taskId(n), lane: b })),
    );
    const load = () => stage.store.read("load", { workers: [1, 2, 2, 9].map(workerId), lanes: [a, b, a, 99] });
    assert.deepStrictEqual(await load(), { workers: new Map(), lanes: new Map() });
    const [deferred] = await stage.claims([a], { worker: workerId(1), limit: 2 });
    await stage.claims([a, b], { worker: workerId(2), limit: 3 });
    await stage.settle(deferred as OpenTask, [start, { type: "defer", total: 1 }]);
    assert.deepStrictEqual(await load(), {
      workers: new Map([
        [workerId(1), 1],
        [workerId(2), 3],
      ]),
      lanes: new Map([
        [a, 3],
        [b, 1],
      ]),
    });
    assert.deepStrictEqual(await stage.store.read("load", { workers: [], lanes: [] }), {
      ...{ workers: new Map(), lanes: new Map() },
    });
  });

  example("the audit is listed newest first, by any of its words", async ({ amend, store }) => {
    const entries = [
      anEntry({ id: "e1", actor: "ada", action: "task.cancel", kind: "task", target: "t1" }),
      anEntry({ id: "e3", actor: "eve", note: odd, data: '{"a":1}', token: "x", at: worldStart + 3 }),
      anEntry({ id: "e2", actor: "ada", at: worldStart + 2, target: odd }),
    ];
    await amend({ audit: entries });
    const ids = async (filter: object) => (await store.read("audit", { ...all, ...filter })).items.map(({ id }) => id);
    assert.deepStrictEqual(await store.read("audit", all), {
      ...{ items: [entries[1], entries[2], entries[0]], total: 3, totalExact: true },
    });
    assert.deepEqual(await ids({ actor: "ada" }), ["e2", "e1"]);
    assert.deepEqual(await ids({ action: "task.cancel" }), ["e1"]);
    assert.deepEqual(await ids({ kind: "worker", actor: "eve" }), ["e3"]);
    assert.deepEqual(await ids({ target: odd }), ["e2"]);
    assert.deepEqual(await ids({ since: worldStart + 2 }), ["e3", "e2"]);
    assert.deepEqual(await ids({ before: worldStart + 2 }), ["e1"]);
    assert.deepEqual(await ids({ actor: "\u0000" }), []);
    assert.deepEqual(await ids({ limit: 1, offset: 1 }), ["e2"]);
  });
}
