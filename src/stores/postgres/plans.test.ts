// Statements that go by keys must not walk through a table, however many tasks wait in it. What they are is heard on the
// connections of a store; how they would be done is asked of PostgreSQL, with the settings of those connections.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { aPulse, aSlice, aTask, itemId, jobName, taskId, workerId } from "../../testing/builders.ts";
import { worldStart } from "../../testing/manual-clock.ts";
import { postgresSchema } from "../../testing/postgres-schema.ts";
import { realSurroundings, testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { stageOn } from "../../testing/store-contract/stage.ts";
import { keyedSettings } from "./connections.ts";
import { postgresStore } from "./postgres-store.ts";

const url = testDatabaseUrl() ?? "";
const pending = 20_000;
const gone = 20_000;

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Filter?: string;
  readonly Plans?: readonly Plan[];
}

describe("with very many tasks waiting", { skip: url === "" && "LEADHAND_TEST_DATABASE_URL is not set" }, () => {
  const schema = postgresSchema(url);
  const heard = new Map<string, string>();
  const client = new Client({ connectionString: url, options: `-c search_path=${schema.name}` });

  before(async () => {
    const stop = listen(heard);
    await askEverything(schema.name);
    stop();
    await client.connect();
    await client.query(
      `insert into task (id, created_at, lane, priority, room, checksum, payload)
       select gen_random_uuid(), 0, 1, 0, '@global', '', '{}' from generate_series(1, ${pending})`,
    );
    await client.query(
      `insert into open_task (id, active_at, lane, version, attempt, failures, losses, place, state)
       select id, 0, lane, 1, 0, 0, 0, uuid_send(id), 'pending' from task on conflict do nothing`,
    );
    await client.query(
      `insert into outcome (task, finished_at, active_at, version, attempt, failures, losses, state)
       select gen_random_uuid(), 0, 0, 3, 1, 0, 0, 'completed' from generate_series(1, ${pending})`,
    );
    await client.query("insert into message (task, version, at) select id, 1, 0 from open_task on conflict do nothing");
    await client.query(
      `insert into message_mark (task, chunk, done, failed)
       select gen_random_uuid(), 0, '', '' from generate_series(1, ${pending})`,
    );
    await client.query(
      `insert into worker (id, profile, labels, paused, draining, created_at, catalog)
       select 'gone ' || n, 'fleet', '{}', false, false, 0, 0 from generate_series(1, ${gone}) n`,
    );
    await client.query(
      `insert into session (worker, seen_at, unreachable_ms, lost_ms, lost_at, removed_at)
       select id, 0, 120000, 360000, 0, 1 from worker where id like 'gone %'`,
    );
    await client.query("analyze");
    for (const [name, value] of Object.entries(keyedSettings)) await client.query(`set ${name} = '${value}'`);
  });

  after(async () => {
    await client.end();
    await schema.drop();
  });

  test("no statement that goes by keys walks through the tasks", async () => {
    assert.ok(heard.size > 20, `only ${[...heard.keys()].join(", ")} were heard`);
    const walks: string[] = [];
    for (const [name, text] of heard) {
      for (const node of nodesOf(await planOf(client, name, text))) {
        if (isWalk(node)) walks.push(`${name}: ${node["Index Name"] ?? "all"}, ${node.Filter ?? "no filter"}`);
      }
    }
    assert.deepEqual(walks, []);
  });

  test("what is asked all the time walks through no workers that are gone", async () => {
    const asked = ["pulse_node", "find_lost", "find_untold", "find_offline", "find_removed"];
    const walks: string[] = [];
    for (const name of asked) {
      for (const node of nodesOf(await planOf(client, `${name}_again`, heard.get(name) ?? ""))) {
        const { "Relation Name": relation = "", "Index Name": index = "all", "Index Cond": within } = node;
        if (relation !== "session" || within !== undefined) continue;
        if (/^(?:all|session_pkey)$/.test(index)) walks.push(`${name}: ${index}`);
      }
    }
    assert.deepEqual(walks, []);
  });
});

/** The other indexes have only few of the tasks, and whoever reads one from its beginning stops after the first. */
function isWalk(node: Plan): boolean {
  const { "Relation Name": relation = "", "Index Name": index = "", "Node Type": type } = node;
  if (!/^(?:open_task|task|outcome|message)/.test(relation) || !/^(?:Seq|Index)/.test(type)) return false;
  if (node["Index Cond"] !== undefined) return false;
  return type === "Seq Scan" || /_pkey$/.test(index) || node.Filter !== undefined;
}

/** Keeps the texts of what is asked on connections that go by keys. */
function listen(heard: Map<string, string>): () => void {
  const original = Client.prototype.query;
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    const [asked] = given as [{ readonly name?: string; readonly text?: string } | string];
    const role = (this as unknown as { connectionParameters: Record<string, string> }).connectionParameters;
    const isKeyed = !role["fallback_application_name"]?.endsWith("reader");
    if (typeof asked === "object" && asked.name && asked.text && isKeyed) heard.set(asked.name, asked.text);
    return Reflect.apply(original, this, given);
  } as typeof original;
  return () => {
    Client.prototype.query = original;
  };
}

async function askEverything(schema: string): Promise<void> {
  const { clock } = realSurroundings();
  const store = postgresStore({ url, schema, clock, log: recordedLog() });
  await store.start();
  const stage = stageOn(store);
  const [lane, worker] = [await stage.begin(), workerId(1)];
  const [one, two] = [aTask({ lane, id: taskId(1) }), aTask({ lane, id: taskId(2) })];
  await stage.submit(one, two);
  await stage.submit(aTask({ lane, id: taskId(3), parent: one.card.id }));
  const other = await stage.lane({ queue: "other" });
  await stage.claims([lane], { limit: 1 });
  await stage.claims([lane, other], { limit: 1 });
  const aMark = { task: one.card.id, chunk: 0, done: new Uint8Array(1), failed: new Uint8Array(1) };
  const named = { workers: [worker], heldBy: [worker], tasks: [one.card.id], parents: [two.card.id] };
  const scope = { ...named, jobs: [jobName], providersOf: [worker], outbox: [itemId(1)], marks: [aMark] };
  await store.amend(scope, () => ({ answer: null, marks: [aMark] }));
  await store.amend({ tasks: [one.card.id] }, ({ families }) =>
    families.size === 0 ? { families: [one.card.id] } : { answer: null },
  );
  const [now, limit, heardMs] = [worldStart, 10, 60_000];
  await store.find("due", { now, limit });
  await store.find("lost", { now, heardMs, limit });
  await store.find("untold", { now, heardMs, limit });
  await store.find("offline", { profile: "fleet", lostBefore: now, limit });
  await store.find("removed", { limit });
  await store.find("forsaken", { limit });
  await store.find("held", { workers: [worker], limit });
  await store.find("children", { parents: [one.card.id], limit });
  await store.find("orphans", { limit });
  await store.find("commands", { workers: [worker], now, limit });
  await store.find("outbox", { kind: "cascade", limit });
  await store.find("outboxKinds", { limit });
  await store.find("unpublished", { lane, activeBefore: now, limit });
  await store.find("unheeded", { lane, confirmedBefore: now, limit });
  await store.read("toldInFront", { lane, confirmedSince: now, among: limit });
  await store.confirm([{ task: two.card.id, version: 1 }], now);
  await store.beat([{ worker, at: now }]);
  await store.promote(now, limit);
  await store.pulse(aPulse({ now }));
  await store.prune(aSlice({ tasks: [one.card.id], finishedBefore: now, limit }));
  await store.prune(aSlice());
  await store.stop();
}

async function planOf(client: Client, name: string, text: string): Promise<Plan> {
  await client.query(`prepare ${name} as ${text}`);
  const { rows } = await client.query<{ types: string[] }>(
    "select parameter_types::text[] as types from pg_prepared_statements where name = $1",
    [name],
  );
  const values = (rows[0]?.types ?? []).map((type) => `null::${type}`).join(", ");
  const asked = `explain (format json) execute ${name}${values === "" ? "" : ` (${values})`}`;
  const { rows: plans } = await client.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(asked);
  return (plans[0] as { "QUERY PLAN": [{ Plan: Plan }] })["QUERY PLAN"][0].Plan;
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
