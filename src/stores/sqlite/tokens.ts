// Tokens: of programs, and of people with browsers.

import type { DatabaseSync } from "node:sqlite";
import type { Role } from "../../core/access.ts";
import type { TokenKind } from "../../core/session.ts";
import type { TokenRecord } from "../../ports/records.ts";
import type { Page, Reads } from "../../ports/store-reads.ts";
import { pageOf } from "./read-tasks.ts";
import { change, query } from "./statement.ts";

const tokenColumns = "id, kind, parent, hash, name, user_id, role, rooms, jobs, created_at, expires_at, revoked_at";

// What was revoked stays revoked, since the first time.
const upsertToken = `
  insert into token (${tokenColumns})
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
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
    revoked_at = coalesce(token.revoked_at, excluded.revoked_at)`;

const selectByHash = `
  select ${tokenColumns}
  from token
  where hash = ?`;

const selectById = `
  select ${tokenColumns}
  from token
  where id = ?`;

const selectTokens = `
  select ${tokenColumns}
  from token
  where ? is null or kind = ?
  order by created_at desc, id
  limit +? offset +?`;

const countTokens = `
  select count(*)
  from token
  where ? is null or kind = ?`;

type TokenValues = [
  ...[id: string, kind: TokenKind, parent: string | null, hash: string, name: string | null, user: string, role: Role],
  ...[rooms: string | null, jobs: string | null],
  ...[createdAt: number, expiresAt: number | null, revokedAt: number | null],
];

export function tokenWriter(db: DatabaseSync): (token: TokenRecord) => void {
  const upsert = change(db, upsertToken);
  return ({ id, kind, parent, hash, name, user, role, rooms, jobs, createdAt, expiresAt, revokedAt }) => {
    const limits = [listText(rooms), listText(jobs)] as const;
    upsert(id, kind, parent, hash, name, user, role, ...limits, createdAt, expiresAt, revokedAt);
  };
}

export function tokenReader(db: DatabaseSync): (query: Reads["token"]["query"]) => TokenRecord | null {
  const byHash = query<TokenValues>(db, selectByHash);
  const byId = query<TokenValues>(db, selectById);
  return (wanted) => {
    const values = "id" in wanted ? byId.get(wanted.id) : byHash.get(wanted.hash);
    return values === undefined ? null : tokenOf(values);
  };
}

export function tokenFinder(db: DatabaseSync): (ids: readonly string[]) => ReadonlyMap<string, TokenRecord> {
  const byId = query<TokenValues>(db, selectById);
  return (ids) =>
    new Map(
      ids.flatMap((id) => {
        const values = byId.get(id);
        return values === undefined ? [] : [[id, tokenOf(values)] as const];
      }),
    );
}

export function tokenListReader(db: DatabaseSync): (query: Reads["tokens"]["query"]) => Page<TokenRecord> {
  const select = query<TokenValues>(db, selectTokens);
  const count = query<[number]>(db, countTokens);
  return ({ kind = null, limit, offset }) =>
    pageOf(select.all(kind, kind, limit, offset).map(tokenOf), count.get(kind, kind)?.[0] ?? 0);
}

function tokenOf(values: TokenValues): TokenRecord {
  const [id, kind, parent, hash, name, user, role, rooms, jobs, createdAt, expiresAt, revokedAt] = values;
  const limits = { rooms: listOf(rooms), jobs: listOf(jobs) };
  return { id, kind, parent, hash, name, user, role, ...limits, createdAt, expiresAt, revokedAt };
}

function listText(list: readonly string[] | null): string | null {
  return list === null ? null : JSON.stringify(list);
}

function listOf(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]);
}
