import assert from "node:assert/strict";
import type { ProviderRecord } from "../../ports/records.ts";
import type { Amendment, AmendScope } from "../../ports/store.ts";
import type { Page, Reads } from "../../ports/store-reads.ts";
import { frozenCopy } from "./frozen-copy.ts";
import type { Memory } from "./memory.ts";
import { pageOf } from "./read-tasks.ts";
import { compareText } from "./sorted-list.ts";

export function lockedProviders(
  memory: Memory,
  { providers = [], providersOf = [] }: AmendScope,
): Map<string, ProviderRecord> {
  const meant = [...memory.providers.values()].filter(
    ({ name, worker }) => providers.includes(name) || providersOf.includes(worker),
  );
  return new Map(meant.map((provider) => [provider.name, provider]));
}

export function checkNames(memory: Memory, { providers = [], providersGone = [] }: Amendment<unknown>): void {
  const going = new Set([...providersGone, ...providers.map(({ id }) => id)]);
  const staying = [...memory.providers.values()].filter(({ id }) => !going.has(id));
  const names = [...staying, ...providers].map(({ name }) => name);
  assert(new Set(names).size === names.length, "a name belongs to one provider");
}

export function writeProviders(memory: Memory, { providers = [], providersGone = [] }: Amendment<unknown>): void {
  for (const id of [...providersGone, ...providers.map((provider) => provider.id)]) {
    memory.providers.delete(id);
    memory.answers.delete(id);
    memory.asked.delete(id);
  }
  for (const provider of providers) memory.providers.set(provider.id, frozenCopy(provider));
}

export function readProvider(memory: Memory, query: Reads["provider"]["query"]): ProviderRecord | null {
  if ("id" in query) return memory.providers.get(query.id) ?? null;
  return [...memory.providers.values()].find(({ name }) => name === query.name) ?? null;
}

export function readProviders(memory: Memory, query: Reads["providers"]["query"]): Page<ProviderRecord> {
  const { rooms } = query;
  const newestFirst = [...memory.providers.values()]
    .filter(({ room }) => rooms === null || rooms.includes(room))
    .sort((a, b) => b.createdAt - a.createdAt || compareText(b.id, a.id));
  return pageOf(newestFirst, query);
}
