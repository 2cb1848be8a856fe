import assert from "node:assert/strict";
import { after, test } from "node:test";
import { allHistories, ledgerFaults } from "../../src/testing/ledger.ts";
import { until } from "../../src/testing/until.ts";
import { chance, newSeed } from "./chance.ts";
import { crew } from "./fleet/crew.ts";
import { told } from "./fleet/judges.ts";
import { startLoad } from "./fleet/load.ts";
import { patientCaller } from "./fleet/patient-caller.ts";
import { fleetServers } from "./fleet/servers.ts";
import { allEnded, defineJobs, lookingInto, verified } from "./fleet/stage.ts";
import { type PrivatePostgres, privatePostgres } from "./private-postgres.ts";
import { caller } from "./rest/caller.ts";

const own = (await privatePostgres()) as PrivatePostgres;
const skip = own === undefined && "no PostgreSQL";
after(() => own?.postgres.stop());

const perSecond = 500;
const deadlineSeconds = 20;
const before = 2_000;
const afterwards = 1_000;

test("a third of the fleet is drained at 500 tasks a second: nothing fails, nothing counts, and it is done in time", {
  ...{ skip, timeout: 120_000 },
}, async (t) => {
  const seed = newSeed();
  t.diagnostic(`seed ${seed}`);
  const servers = await fleetServers(own, ["one", "two", "three"]);
  const workers = await crew();
  await defineJobs(servers);
  const { all, token } = servers;
  for (let nth = 0; nth < 9; nth += 1) {
    const door = (["work", "work", "rest"] as const)[Math.floor(nth / 3)] ?? "work";
    const labels = { rack: nth % 3 === 0 ? "a" : "b" };
    workers.hire({ door, url: all[(nth + 1) % 3]?.url ?? "", token, labels, concurrency: 20 });
  }
  await workers.ready();
  const third = [...workers.members].filter(({ orders }) => orders.labels?.["rack"] === "a");
  const names = new Set(third.map((member) => member.worker()));
  const load = startLoad({
    ...{ callers: all.map(({ url }) => caller({ url, token })), chance: chance(seed), jobs: ["mixed", "night"] },
    ...{ tasks: Number.POSITIVE_INFINITY, perSecond, together: 10, msMax: 40, isSmooth: true },
  });
  const more = (count: number, from = load.accepted.length) =>
    until(`${count} more`, () => load.accepted.length >= from + count || load.faults.length > 0, 60_000);
  try {
    await more(before);
    const askedAt = Date.now();
    const ask = patientCaller(all[0]?.url ?? "", servers.adminToken);
    const words = { label: "rack=a", at_a_time: 2, deadline_seconds: deadlineSeconds, note: "new kernel" };
    const { status, body } = await ask("POST", "/workers/drain", { body: words });
    assert.ok(status < 300, JSON.stringify(body));
    const held = () => own.query("select 1 from leadhand.open_task where worker = any($1) limit 1", [[...names]]);
    // By its own word: while a server may not have heard of the drain, a worker that holds nothing may still be given something.
    const isThrough = async () => (await ask("GET", "/drains")).body.items.length === 0;
    await until("the third is drained", isThrough, deadlineSeconds * 1_000);
    assert.deepEqual(await held(), []);
    const drainedAt = Date.now();
    t.diagnostic(`drained in ${drainedAt - askedAt} ms`);
    await more(afterwards);
    load.stop();
    await load.done;
    assert.deepEqual(load.faults, []);
    await allEnded(own, 30_000);
    assert.deepEqual(workers.faults, []);

    await verified(servers);
    await lookingInto(own, async (look) => {
      const histories = [...(await allHistories(look)).values()];
      const counted = histories.filter(
        ({ task: { row } }) => row.state !== "completed" || row.failures + row.losses > 0,
      );
      assert.deepEqual(
        counted.slice(0, 5).map(({ task, events }) => `${task.card.id} ${told(events)}`),
        [],
      );
      const late = histories.filter(({ events }) =>
        events.some(({ worker, at }) => worker !== null && names.has(worker) && at > drainedAt),
      );
      assert.deepEqual(
        late.slice(0, 5).map(({ task, events }) => `${task.card.id} ${told(events)}`),
        [],
      );
      const released = histories.filter(({ events }) => events.some(({ type }) => type === "task.released")).length;
      t.diagnostic(`${histories.length} tasks, ${released} given back`);
      assert.deepEqual((await ledgerFaults(load.accepted, look)).slice(0, 5), []);
    });
  } finally {
    load.stop();
    await workers.leave();
  }
});
