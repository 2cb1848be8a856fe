// API tokens.

import type { ClientBase } from "pg";
import type { Role } from "../../core/access.ts";
import type { TokenRecord } from "../../ports/records.ts";
import { type Page, type PageQuery, type Reads, totalMax } from "../../ports/store-reads.ts";
import { jsonRows } from "./arrays.ts";
import { ask, type Statement } from "./statement.ts";
import { totalOf } from "./task-list.ts";
import { storable } from "./text.ts";

const tokenColumns = "id, hash, name, user_id, role, rooms, jobs, created_at, expires_at, revoked_at";

// What was revoked stays revoked, since the first time.
const upsertTokens: Statement = {
  name: "upsert_tokens",
  text: `
    insert into token (${tokenColumns})
    select ${tokenColumns}
    from json_to_recordset($1::json) r (
      id text, hash text, name text, user_id text, role text, rooms text, jobs text, created_at bigint,
      expires_at bigint, revoked_at bigint
    )
    order by id
    on conflict (id) do update
    set
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
    order by created_at desc, id
    limit $1
    offset $2`,
};

const countTokens: Statement = {
  name: "count_tokens",
  text: `
    select count(*)
    from (select from token limit $1) found`,
};

type TokenTuple = readonly [
  ...[id: string, hash: string, name: string | null, user: string, role: Role],
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

export async function readTokens(client: ClientBase, { limit, offset }: PageQuery): Promise<Page<TokenRecord>> {
  const [rows, [total]] = await Promise.all([
    ask<TokenTuple>(client, selectTokens, [limit, offset]),
    ask<[number]>(client, countTokens, [totalMax + 1]),
  ]);
  return { items: rows.map(tokenOf), ...totalOf(total?.[0] as number) };
}

function tokenOf(tuple: TokenTuple): TokenRecord {
  const [id, hash, name, user, role, rooms, jobs, createdAt, expiresAt, revokedAt] = tuple;
  return { id, hash, name, user, role, rooms: listOf(rooms), jobs: listOf(jobs), createdAt, expiresAt, revokedAt };
}

function listOf(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]);
}
