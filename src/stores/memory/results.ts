import type { ResultStore } from "../../ports/result-store.ts";
import type { Kept, Memory } from "./memory.ts";
import { compareText } from "./sorted-list.ts";

export function results(memory: Memory): ResultStore {
  const { providers, answers, asked } = memory;

  function kept(provider: string, hash: string, now: number): Kept | null {
    const found = answers.get(provider)?.get(hash);
    return found === undefined || found.expiresAt <= now ? null : found;
  }

  return {
    async get({ provider, hash }, now) {
      const found = kept(provider, hash, now);
      return found === null ? null : { contentType: found.contentType, bytes: found.bytes };
    },

    async begin({ provider, hash }, now, until) {
      if (!providers.has(provider) || kept(provider, hash, now) !== null) return false;
      if ((asked.get(provider)?.get(hash) ?? now) > now) return false;
      inner(asked, provider).set(hash, until);
      return true;
    },

    async put({ provider, hash }, { contentType, bytes }, at, expiresAt) {
      if (!providers.has(provider)) return false;
      inner(answers, provider).set(hash, { contentType, bytes: Uint8Array.from(bytes), at, expiresAt });
      asked.get(provider)?.delete(hash);
      return true;
    },

    async trim(now, bytesMax) {
      for (const hashes of asked.values()) removeWhere(hashes, (until) => until <= now);
      let gone = 0;
      for (const hashes of answers.values()) gone += removeWhere(hashes, ({ expiresAt }) => expiresAt <= now);
      let bytes = 0;
      for (const { provider, hash, size } of newestFirst(memory)) {
        bytes += size;
        if (bytes > bytesMax) gone += Number(answers.get(provider)?.delete(hash));
      }
      return gone;
    },
  };
}

function newestFirst({ answers }: Memory) {
  return [...answers]
    .flatMap(([provider, hashes]) =>
      [...hashes].map(([hash, { at, bytes }]) => ({ provider, hash, at, size: bytes.length })),
    )
    .sort((a, b) => b.at - a.at || compareText(a.provider, b.provider) || compareText(a.hash, b.hash));
}

function inner<T>(outer: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const known = outer.get(key) ?? new Map<string, T>();
  outer.set(key, known);
  return known;
}

function removeWhere<T>(map: Map<string, T>, goes: (value: T) => boolean): number {
  const old = [...map].filter(([, value]) => goes(value));
  for (const [key] of old) map.delete(key);
  return old.length;
}
