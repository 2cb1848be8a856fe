import assert from "node:assert/strict";
import type { TokenRecord } from "../../ports/records.ts";
import type { Page, Reads } from "../../ports/store-reads.ts";
import { frozenCopy } from "./frozen-copy.ts";
import type { Memory } from "./memory.ts";
import { pageOf } from "./read-tasks.ts";
import { compareText } from "./sorted-list.ts";

export function checkHashes(memory: Memory, tokens: readonly TokenRecord[]): void {
  const owners = new Map([...memory.tokens.values()].map(({ hash, id }) => [hash, id]));
  for (const { hash, id } of tokens) {
    assert((owners.get(hash) ?? id) === id, "a hash belongs to one token");
    owners.set(hash, id);
  }
}

export function writeToken(memory: Memory, token: TokenRecord): void {
  const revokedAt = memory.tokens.get(token.id)?.revokedAt ?? token.revokedAt;
  memory.tokens.set(token.id, frozenCopy({ ...token, revokedAt }));
}

export function readToken(memory: Memory, query: Reads["token"]["query"]): TokenRecord | null {
  if ("id" in query) return memory.tokens.get(query.id) ?? null;
  return [...memory.tokens.values()].find(({ hash }) => hash === query.hash) ?? null;
}

export function readTokens(memory: Memory, query: Reads["tokens"]["query"]): Page<TokenRecord> {
  const newestFirst = [...memory.tokens.values()]
    .filter(({ kind }) => query.kind === undefined || kind === query.kind)
    .sort((a, b) => b.createdAt - a.createdAt || compareText(a.id, b.id));
  return pageOf(newestFirst, query);
}
