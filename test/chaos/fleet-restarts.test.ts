import assert from "node:assert/strict";
import { after, test } from "node:test";
import { allHistories, ledgerFaults } from "../../src/testing/ledger.ts";
import { until } from "../../src/testing/until.ts";
import { chance, newSeed } from "./chance.ts";
import { balancer } from "./fleet/balancer.ts";
import { crew } from "./fleet/crew.ts";
import { outcomeFaults } from "./fleet/judges.ts";
import { startLoad } from "./fleet/load.ts";
import { type FleetServer, fleetServers } from "./fleet/servers.ts";
import { allEnded, defineJobs, lookingInto, verified } from "./fleet/stage.ts";
import { type PrivatePostgres, privatePostgres } from "./private-postgres.ts";

const own = (await privatePostgres()) as PrivatePostgres;
const skip = own === undefined && "no PostgreSQL";
after(() => own?.postgres.stop());

const restarts = 20;
const perSecond = 100;

test("20 rolling restarts of the servers under load: no submit fails that is tried twice, each task ends once", {
  ...{ skip, timeout: 180_000 },
}, async (t) => {
  const seed = newSeed();
  t.diagnostic(`seed ${seed}`);
  const servers = await fleetServers(own, ["one", "two", "three"]);
  const workers = await crew();
  await defineJobs(servers);
  for (const [nth, door] of (["work", "socket", "rest", "work", "curl", "manager"] as const).entries())
    workers.hire({ door, url: servers.all[nth % 3]?.url ?? "", token: servers.token, concurrency: 4 });
  await workers.ready();
  const urls = servers.all.map(({ url }) => url);
  const load = startLoad({
    ...{ callers: [balancer(urls, servers.token)], chance: chance(seed), jobs: ["mixed", "night", "internal"] },
    ...{ tasks: Number.POSITIVE_INFINITY, perSecond, together: 5, msMax: 50, isSmooth: true, triesMax: 2 },
  });
  try {
    for (let nth = 0; nth < restarts; nth += 1) {
      const server = servers.all[nth % servers.all.length] as FleetServer;
      const before = load.accepted.length;
      assert.equal(await server.stop(), 0, `${server.name}: ${server.log()}`);
      await server.start();
      await until("submits go on", () => load.accepted.length > before || load.faults.length > 0, 10_000);
      assert.deepEqual(load.faults, []);
    }
    load.stop();
    await load.done;
    assert.deepEqual(load.faults, []);
    await allEnded(own, 60_000);
    assert.deepEqual(workers.faults, []);
  } finally {
    load.stop();
    await workers.leave();
  }
  await verified(servers);
  await lookingInto(own, async (look) => {
    const histories = await allHistories(look);
    const lost = [...histories.values()].filter(({ task }) => task.row.losses > 0).length;
    t.diagnostic(`${histories.size} tasks, ${lost} of them lost on the way`);
    assert.deepEqual((await ledgerFaults(load.accepted, look)).slice(0, 10), []);
    assert.deepEqual(outcomeFaults(histories, () => false).slice(0, 10), []);
  });
});
