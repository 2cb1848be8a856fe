// Workers that answer questions.

import type { DatabaseSync } from "node:sqlite";
import type { ProviderRecord } from "../../ports/records.ts";
import type { Amendment, AmendScope } from "../../ports/store.ts";
import type { Page, Reads } from "../../ports/store-reads.ts";
import { pageOf } from "./read-tasks.ts";
import { change, query } from "./statement.ts";

const providerColumns = "id, name, room, schema, content_type, worker, owner, created_at";

const insertProvider = `
  insert into provider (${providerColumns})
  values (?, ?, ?, ?, ?, ?, ?, ?)`;

const selectById = `
  select ${providerColumns}
  from provider
  where id = ?`;

const selectByName = `
  select ${providerColumns}
  from provider
  where name = ?`;

const selectByWorker = `
  select ${providerColumns}
  from provider
  where worker = ?`;

const selectProviders = `
  select ${providerColumns}
  from provider
  order by created_at desc, id desc
  limit +? offset +?`;

const selectOfRooms = `
  select ${providerColumns}
  from provider
  where room in (select value from json_each(?))
  order by created_at desc, id desc
  limit +? offset +?`;

const countProviders = `
  select count(*)
  from provider`;

const countOfRooms = `
  select count(*)
  from provider
  where room in (select value from json_each(?))`;

/** Each with the provider's id as its parameter. */
const deletions = [
  "delete from provider where id = ?",
  "delete from provider_result where provider = ?",
  "delete from provider_flight where provider = ?",
] as const;

type ProviderValues = [
  ...[id: string, name: string, room: string, schema: string],
  ...[contentType: string, worker: string, owner: string, createdAt: number],
];

export function providerFinder(db: DatabaseSync): (scope: AmendScope) => Map<string, ProviderRecord> {
  const byName = query<ProviderValues>(db, selectByName);
  const byWorker = query<ProviderValues>(db, selectByWorker);
  return ({ providers = [], providersOf = [] }) => {
    const rows = [...providers.map((name) => byName.all(name)), ...providersOf.map((id) => byWorker.all(id))];
    return new Map(rows.flat().map((values) => [values[1], providerOf(values)]));
  };
}

export function providerWriter(db: DatabaseSync): (amendment: Amendment<unknown>) => void {
  const insert = change(db, insertProvider);
  const removals = deletions.map((sql) => change(db, sql));
  return ({ providers = [], providersGone = [] }) => {
    for (const id of [...providersGone, ...providers.map((provider) => provider.id)]) {
      for (const remove of removals) remove(id);
    }
    for (const { id, name, room, schema, contentType, worker, owner, createdAt } of providers) {
      insert(id, name, room, schema, contentType, worker, owner, createdAt);
    }
  };
}

export function providerReader(db: DatabaseSync): (query: Reads["provider"]["query"]) => ProviderRecord | null {
  const byName = query<ProviderValues>(db, selectByName);
  const byId = query<ProviderValues>(db, selectById);
  return (wanted) => {
    const values = "id" in wanted ? byId.get(wanted.id) : byName.get(wanted.name);
    return values === undefined ? null : providerOf(values);
  };
}

export function providerListReader(db: DatabaseSync): (query: Reads["providers"]["query"]) => Page<ProviderRecord> {
  const all = { select: query<ProviderValues>(db, selectProviders), count: query<[number]>(db, countProviders) };
  const some = { select: query<ProviderValues>(db, selectOfRooms), count: query<[number]>(db, countOfRooms) };
  return ({ rooms, limit, offset }) => {
    const { select, count } = rooms === null ? all : some;
    const which = rooms === null ? [] : [JSON.stringify(rooms)];
    return pageOf(select.all(...which, limit, offset).map(providerOf), count.get(...which)?.[0] ?? 0);
  };
}

function providerOf(values: ProviderValues): ProviderRecord {
  const [id, name, room, schema, contentType, worker, owner, createdAt] = values;
  return { id, name, room, schema, contentType, worker, owner, createdAt };
}
