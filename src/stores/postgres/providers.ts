// Workers that answer questions.

import type { ClientBase } from "pg";
import type { ProviderRecord } from "../../ports/records.ts";
import type { Amendment, AmendScope, AmendView } from "../../ports/store.ts";
import { type Page, type Reads, totalMax } from "../../ports/store-reads.ts";
import { jsonRows, sortedTexts, textArray } from "./arrays.ts";
import { ask, type Statement } from "./statement.ts";
import { totalOf } from "./task-list.ts";
import { storable } from "./text.ts";

const providerColumns = "p.id, p.name, p.room, p.schema, p.content_type, p.worker, p.owner, p.created_at";

// One that does not exist yet has no row to lock, so its name is locked.
const lockNames: Statement = {
  name: "lock_provider_names",
  text: `
    select pg_advisory_xact_lock(hashtextextended('leadhand provider ' || current_schema() || ' ' || n.name, 0))
    from unnest($1::text[]) with ordinality n (name, nth)
    order by n.nth`,
};

const lockProviders: Statement = {
  name: "lock_providers",
  text: `
    with named as materialized (
      select id, row_number() over (order by id) as nth
      from (
        select p.id
        from provider p
        where p.name = any ($1::text[])
        union
        select p.id
        from provider p
        where p.worker = any ($2::text[])
      ) every
    )
    select ${providerColumns}
    from named n
    join provider p on p.id = n.id
    order by n.nth
    for update of p`,
};

const upsertProviders: Statement = {
  name: "upsert_providers",
  text: `
    insert into provider (id, name, room, schema, content_type, worker, owner, created_at)
    select id, name, room, schema, content_type, worker, owner, created_at
    from json_to_recordset($1::json) r (
      id text, name text, room text, schema text, content_type text, worker text, owner text, created_at bigint
    )
    order by id
    on conflict (id) do update
    set
      name = excluded.name,
      room = excluded.room,
      schema = excluded.schema,
      content_type = excluded.content_type,
      worker = excluded.worker,
      owner = excluded.owner,
      created_at = excluded.created_at`,
};

const deleteProviders: Statement = {
  name: "delete_providers",
  text: `
    delete from provider
    where id = any ($1::text[])`,
};

const deleteResults: Statement = {
  name: "delete_results",
  text: `
    delete from provider_result
    where provider = any ($1::text[])`,
};

const deleteFlights: Statement = {
  name: "delete_flights",
  text: `
    delete from provider_flight
    where provider = any ($1::text[])`,
};

const selectByName: Statement = {
  name: "select_provider_by_name",
  text: `
    select ${providerColumns}
    from provider p
    where p.name = $1`,
};

const selectById: Statement = {
  name: "select_provider_by_id",
  text: `
    select ${providerColumns}
    from provider p
    where p.id = $1`,
};

const selectProviders: Statement = {
  name: "select_providers",
  text: `
    select ${providerColumns}
    from provider p
    where $1::text[] is null
      or p.room = any ($1)
    order by p.created_at desc, p.id desc
    limit $2
    offset $3`,
};

const countProviders: Statement = {
  name: "count_providers",
  text: `
    select count(*)
    from (select from provider p where $1::text[] is null or p.room = any ($1) limit $2) found`,
};

type ProviderTuple = readonly [
  ...[id: string, name: string, room: string, schema: string],
  ...[contentType: string, worker: string, owner: string, createdAt: number],
];

/** Under their locks. */
export async function lockedProviders(
  client: ClientBase,
  { providers = [], providersOf = [] }: AmendScope,
): Promise<AmendView["providers"]> {
  if (providers.length + providersOf.length === 0) return new Map();
  const names = textArray(sortedTexts(providers));
  const [, rows] = await Promise.all([
    ask(client, lockNames, [names]),
    ask<ProviderTuple>(client, lockProviders, [names, textArray(sortedTexts(providersOf))]),
  ]);
  // One that went to another worker while we waited for its lock belongs to those workers no more.
  const found = rows.map(providerOf).filter(({ name, worker }) => {
    return providers.includes(name) || providersOf.includes(worker);
  });
  return new Map(found.map((provider) => [provider.name, provider]));
}

export async function writeProviders(
  client: ClientBase,
  { providers = [], providersGone = [] }: Amendment<unknown>,
): Promise<void> {
  if (providers.length + providersGone.length === 0) return;
  const rows = providers.map(({ contentType, createdAt, ...provider }) => ({
    ...provider,
    content_type: contentType,
    created_at: createdAt,
  }));
  const written = textArray(providers.map(({ id }) => id));
  await Promise.all([
    ask(client, deleteProviders, [textArray(providersGone)]),
    ask(client, deleteResults, [written]),
    ask(client, deleteFlights, [written]),
    ask(client, upsertProviders, [jsonRows(rows)]),
  ]);
}

export async function readProvider(
  client: ClientBase,
  query: Reads["provider"]["query"],
): Promise<ProviderRecord | null> {
  const asked = "id" in query ? ([selectById, query.id] as const) : ([selectByName, query.name] as const);
  const [row] = await ask<ProviderTuple>(client, asked[0], [storable(asked[1])]);
  return row === undefined ? null : providerOf(row);
}

export async function readProviders(
  client: ClientBase,
  { rooms, limit, offset }: Reads["providers"]["query"],
): Promise<Page<ProviderRecord>> {
  const which = rooms === null ? null : textArray(rooms);
  const [rows, [total]] = await Promise.all([
    ask<ProviderTuple>(client, selectProviders, [which, limit, offset]),
    ask<[number]>(client, countProviders, [which, totalMax + 1]),
  ]);
  return { items: rows.map(providerOf), ...totalOf(total?.[0] as number) };
}

function providerOf(tuple: ProviderTuple): ProviderRecord {
  const [id, name, room, schema, contentType, worker, owner, createdAt] = tuple;
  return { id, name, room, schema, contentType, worker, owner, createdAt };
}
