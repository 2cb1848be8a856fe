// What providers answered, and questions on their way to them.

import type { DatabaseSync } from "node:sqlite";
import type { ProviderResult, ResultKey } from "../../ports/result-store.ts";
import { change, query } from "./statement.ts";

const selectResult = `
  select content_type, bytes
  from provider_result
  where provider = ? and hash = ? and expires_at > ?`;

const insertFlight = `
  insert into provider_flight (provider, hash, until)
  select p.id, :hash, :until
  from provider p
  where p.id = :provider and not exists (
    select 1
    from provider_result r
    where r.provider = :provider and r.hash = :hash and r.expires_at > :now
  )
  on conflict do update
  set until = excluded.until
  where until <= :now`;

const deleteFlight = `
  delete from provider_flight
  where provider = ? and hash = ?`;

const upsertResult = `
  insert or replace into provider_result (provider, hash, content_type, size, at, expires_at, bytes)
  select id, :hash, :type, :size, :at, :end, :bytes
  from provider
  where id = :provider`;

const deleteFlights = `
  delete from provider_flight
  where until <= ?`;

const deleteExpired = `
  delete from provider_result
  where expires_at <= ?`;

const deleteOldest = `
  delete from provider_result
  where (provider, hash) in (
    select provider, hash
    from (select provider, hash, sum(size) over (order by at desc, provider, hash) as total from provider_result)
    where total > ?
  )`;

/** As the port has them, but at once. */
export function results(db: DatabaseSync) {
  const select = query<[string, Uint8Array<ArrayBuffer>]>(db, selectResult);
  const begin = db.prepare(insertFlight);
  const land = change(db, deleteFlight);
  const upsert = db.prepare(upsertResult);
  const forgetFlights = change(db, deleteFlights);
  const expire = change(db, deleteExpired);
  const dropOldest = change(db, deleteOldest);
  return {
    get({ provider, hash }: ResultKey, now: number): ProviderResult | null {
      const values = select.get(provider, hash, now);
      return values === undefined ? null : { contentType: values[0], bytes: values[1] };
    },
    begin: ({ provider, hash }: ResultKey, now: number, until: number): boolean =>
      Number(begin.run({ provider, hash, now, until }).changes) > 0,
    put({ provider, hash }: ResultKey, { contentType, bytes }: ProviderResult, at: number, end: number): boolean {
      land(provider, hash);
      const values = { provider, hash, type: contentType, size: bytes.length, at, end, bytes };
      return Number(upsert.run(values).changes) > 0;
    },
    trim(now: number, bytesMax: number): number {
      forgetFlights(now);
      return expire(now) + dropOldest(bytesMax);
    },
  };
}
