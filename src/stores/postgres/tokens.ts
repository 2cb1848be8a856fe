// Tokens: of programs, and of people with browsers.

import type { ClientBase } from "pg";
import type { Role } from "../../core/access.ts";
import type { TokenKind } from "../../core/session.ts";
import type { TokenRecord } from "../../ports/records.ts";
import { type Page, type Reads, totalMax } from "../../ports/store-reads.ts";
import { jsonRows, sortedTexts, textArray } from "./arrays.ts";
import { ask, type Statement } from "./statement.ts";
import { totalOf } from "./task-list.ts";
import { storable } from "./text.ts";

const tokenColumns = "id, kind, parent, hash, name, user_id, role, rooms, jobs, created_at, expires_at, revoked_at";

// What was revoked stays revoked, since the first time.
const upsertTokens: Statement = {
  name: "upsert_tokens",
  text: `
    insert into token (${tokenColumns})
    select ${tokenColumns}
    from json_to_recordset($1::json) r (
      id text, kind text, parent text, hash text, name text, user_id text, role text, rooms text, jobs text,
      created_at bigint, expires_at bigint, revoked_at bigint
    )
    order by id
    on conflict (id) do update
    set
      kind = excluded.kind,
      parent = excluded.parent,
      hash = excluded.hash,
      name = excluded.name,
      user_id = excluded.user_id,
      role = excluded.role,
      rooms = excluded.rooms,
      jobs = excluded.jobs,
      created_at = excluded.created_at,
      expires_at = excluded.expires_at,
      revoked_at = coalesce(token.revoked_at, excluded.revoked_at)`,
};

const selectByHash: Statement = {
  name: "select_token_by_hash",
  text: `
    select ${tokenColumns}
    from token
    where hash = $1`,
};

const selectById: Statement = {
  name: "select_token_by_id",
  text: `
    select ${tokenColumns}
    from token
    where id = $1`,
};

const selectTokens: Statement = {
  name: "select_tokens",
  text: `
    select ${tokenColumns}
    from token
    where $1::text is null or kind = $1
    order by created_at desc, id
    limit $2
    offset $3`,
};

const countTokens: Statement = {
  name: "count_tokens",
  text: `
    select count(*)
    from (select from token where $1::text is null or kind = $1 limit $2) found`,
};

const lockTokens: Statement = {
  name: "lock_tokens",
  text: `
    select ${tokenColumns}
    from token
    where id = any ($1::text[])
    order by id
    for update`,
};

export const deleteSessions: Statement = {
  name: "delete_sessions",
  text: `
    with old as materialized (
      select id
      from token
      where kind <> 'api'
        and expires_at < $1
      order by expires_at
      limit $2
      for update skip locked
    ),
    gone as (
      delete from token t
      using old
      where t.id = old.id
      returning 1
    )
    select count(*)
    from gone`,
};

type TokenTuple = readonly [
  ...[id: string, kind: TokenKind, parent: string | null, hash: string, name: string | null, user: string, role: Role],
  ...[rooms: string | null, jobs: string | null],
  ...[createdAt: number, expiresAt: number | null, revokedAt: number | null],
];

export async function writeTokens(client: ClientBase, tokens: readonly TokenRecord[]): Promise<void> {
  const last = [...new Map(tokens.map((token) => [token.id, token])).values()];
  const rows = last.map(({ user, rooms, jobs, createdAt, expiresAt, revokedAt, ...token }) => ({
    ...token,
    user_id: user,
    rooms: rooms === null ? null : JSON.stringify(rooms),
    jobs: jobs === null ? null : JSON.stringify(jobs),
    created_at: createdAt,
    expires_at: expiresAt,
    revoked_at: revokedAt,
  }));
  await ask(client, upsertTokens, [jsonRows(rows)]);
}

export async function readToken(client: ClientBase, query: Reads["token"]["query"]): Promise<TokenRecord | null> {
  const asked = "id" in query ? ([selectById, query.id] as const) : ([selectByHash, query.hash] as const);
  const [row] = await ask<TokenTuple>(client, asked[0], [storable(asked[1])]);
  return row === undefined ? null : tokenOf(row);
}

export async function lockedTokens(
  client: ClientBase,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TokenRecord>> {
  if (ids.length === 0) return new Map();
  const rows = await ask<TokenTuple>(client, lockTokens, [textArray(sortedTexts(ids))]);
  return new Map(rows.map(tokenOf).map((token) => [token.id, token]));
}

export async function readTokens(
  client: ClientBase,
  { kind, limit, offset }: Reads["tokens"]["query"],
): Promise<Page<TokenRecord>> {
  const [rows, [total]] = await Promise.all([
    ask<TokenTuple>(client, selectTokens, [kind ?? null, limit, offset]),
    ask<[number]>(client, countTokens, [kind ?? null, totalMax + 1]),
  ]);
  return { items: rows.map(tokenOf), ...totalOf(total?.[0] as number) };
}

function tokenOf(tuple: TokenTuple): TokenRecord {
  const [id, kind, parent, hash, name, user, role, rooms, jobs, createdAt, expiresAt, revokedAt] = tuple;
  const limits = { rooms: listOf(rooms), jobs: listOf(jobs) };
  return { id, kind, parent, hash, name, user, role, ...limits, createdAt, expiresAt, revokedAt };
}

function listOf(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]);
}
