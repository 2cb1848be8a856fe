// The servers on one database, as each of them tells it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../../src/sdk/client.ts";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, query, withPostgres } from "../fresh-database.ts";
import { run } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";

test("a server on a file is the only one, leads, and says how busy it is", async () => {
  const scene = await restScene();
  const worker = (await scene.admin.post("/workers", {})).body.id;
  assert.equal((await scene.admin.patch(`/workers/${worker}`)).status, 200);
  const viewer = await scene.caller("vera", { role: "viewer", rooms: ["lab"] });
  const nodeNow = async () => (await viewer.get("/nodes")).body.items[0];
  await until("the pulse has counted the worker", async () => (await nodeNow()).load.workers === 1);
  const node = await nodeNow();
  assert.deepEqual([node.leader, node.online, node.clock_skew_ms, node.address], [true, true, 0, null]);
  assert.match(node.version, /^\d+\.\d+\.\d+/);
  assert.ok(Date.parse(node.started_at) <= Date.parse(node.seen_at));
  const { connections, tasks, loop_lag_ms, loop_lag_p99_ms, cpu_percent, memory_bytes } = node.load;
  assert.ok(connections.http >= 1, "the one that asks is connected");
  assert.deepEqual([connections.sockets, connections.work, tasks], [0, 0, 0]);
  assert.ok(memory_bytes > 10_000_000 && cpu_percent >= 0 && loop_lag_ms >= 0 && loop_lag_p99_ms >= loop_lag_ms);
  const told = await run(["nodes"], { LEADHAND_URL: scene.url, LEADHAND_TOKEN: scene.admin.token });
  assert.match(told.out, /^ID +STATE +ADDRESS +VERSION +STARTED +SEEN +SKEW +WORKERS +TASKS +CONNECTIONS /);
  assert.match(told.out, new RegExp(`^${node.id} +leader +`, "m"));
  const json = await run(["nodes", "--json"], { LEADHAND_URL: scene.url, LEADHAND_TOKEN: scene.admin.token });
  assert.equal(JSON.parse(json.out).items[0].id, node.id);
});

test("every server on one PostgreSQL is listed by each, and one of them leads", withPostgres, async () => {
  const flags = { "database-url": await freshDatabase() };
  const first = await restScene(flags);
  const second = await restScene({ ...flags, data: first.data });
  using client = new Client({ url: second.url, token: first.admin.token });
  const nodes = await client.nodes();
  assert.deepEqual(
    nodes.map(({ leader, online }) => [leader, online]),
    [
      [true, true],
      [false, true],
    ],
  );
  assert.deepEqual(
    (await first.admin.get("/nodes")).body.items.map(({ id }: { id: string }) => id),
    nodes.map(({ id }) => id),
  );

  // A server of another version, which fell silent an hour ago and said other things of itself than we know.
  const values = ["0192f0c1-2a3b-7c4d-8e5f-60718293a4b5", Date.now() - 7_200_000, Date.now() - 3_600_000];
  const load = '{"tasks":3,"workers":"many","moons":2}';
  const insert = `insert into leadhand.node (id, started_at, seen_at, version, load) values ($1, $2, $3, '9.9.9', $4)`;
  await query(flags["database-url"], insert, [...values, load]);
  const [silent] = await client.nodes();
  assert.deepEqual([silent?.id, silent?.online, silent?.leader, silent?.version], [values[0], false, false, "9.9.9"]);
  assert.deepEqual([silent?.load.tasks, silent?.load.workers, silent?.load.memory_bytes], [3, null, null]);
  assert.ok(!Object.hasOwn(silent?.load ?? {}, "moons"));

  await second.stop();
  const left = (await first.admin.get("/nodes")).body.items;
  assert.deepEqual(
    left.map(({ leader }: { leader: boolean }) => leader),
    [false, true],
  );
});
