// What providers answered, and questions on their way to them. Each is one statement that may be sent again: at worst
// nobody asks a provider before the question that was on its way has expired.

import type { ClientBase } from "pg";
import type { ResultStore } from "../../ports/result-store.ts";
import { lend } from "./connections.ts";
import type { Database } from "./database.ts";
import { patiently } from "./patience.ts";
import { ask, type Statement, type Value } from "./statement.ts";
import { storable } from "./text.ts";

const selectResult: Statement = {
  name: "select_result",
  text: `
    select content_type, bytes
    from provider_result
    where provider = $1
      and hash = $2
      and expires_at > $3`,
};

// Whoever writes the provider anew holds its lock; what is kept before or after is forgotten or stays, never half.
const insertFlight: Statement = {
  name: "insert_flight",
  text: `
    insert into provider_flight (provider, hash, until)
    select p.id, $2, $4
    from provider p
    where p.id = $1
      and not exists (
        select
        from provider_result r
        where r.provider = $1
          and r.hash = $2
          and r.expires_at > $3
      )
    for share of p
    on conflict (provider, hash) do update
    set until = excluded.until
    where provider_flight.until <= $3
    returning 1`,
};

const upsertResult: Statement = {
  name: "upsert_result",
  text: `
    with landed as (
      delete from provider_flight
      where provider = $1
        and hash = $2
    )
    insert into provider_result (provider, hash, content_type, size, at, expires_at, bytes)
    select p.id, $2, $3, octet_length($6::bytea), $4, $5, $6::bytea
    from provider p
    where p.id = $1
    for share of p
    on conflict (provider, hash) do update
    set
      content_type = excluded.content_type,
      size = excluded.size,
      at = excluded.at,
      expires_at = excluded.expires_at,
      bytes = excluded.bytes
    returning 1`,
};

const deleteFlights: Statement = {
  name: "delete_old_flights",
  text: `
    delete from provider_flight
    where until <= $1`,
};

const deleteResults: Statement = {
  name: "delete_old_results",
  text: `
    with old as materialized (
      select r.provider, r.hash
      from (
        select
          provider, hash, expires_at,
          sum(size) filter (where expires_at > $1) over (order by at desc, provider, hash) as total
        from provider_result
      ) r
      where r.expires_at <= $1
        or r.total > $2
    ),
    gone as (
      delete from provider_result r
      using old
      where r.provider = old.provider
        and r.hash = old.hash
      returning 1
    )
    select count(*)
    from gone`,
};

export function results(database: Database): ResultStore {
  const sent = <R extends readonly unknown[]>(statement: Statement, values: readonly Value[]): Promise<R[]> =>
    write((client) => ask<R>(client, statement, values));

  function write<T>(work: (client: ClientBase) => Promise<T>): Promise<T> {
    return patiently(database, () => lend(database.writers, work));
  }

  return {
    async get({ provider, hash }, now) {
      type Row = [contentType: string, bytes: Uint8Array];
      const [row] = await patiently(database, () =>
        lend(database.lookers, (client) => ask<Row>(client, selectResult, [storable(provider), storable(hash), now])),
      );
      return row === undefined ? null : { contentType: row[0], bytes: row[1] };
    },
    async begin({ provider, hash }, now, until) {
      return (await sent(insertFlight, [storable(provider), storable(hash), now, until])).length > 0;
    },
    async put({ provider, hash }, { contentType, bytes }, at, expiresAt) {
      const key = [storable(provider), storable(hash)];
      return (await sent(upsertResult, [...key, storable(contentType), at, expiresAt, bytes])).length > 0;
    },
    async trim(now, bytesMax) {
      await sent(deleteFlights, [now]);
      const [row] = await sent<[number]>(deleteResults, [now, bytesMax]);
      return row?.[0] ?? 0;
    },
  };
}
