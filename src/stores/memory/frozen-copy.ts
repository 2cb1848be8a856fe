// What is handed in is copied and what is handed out is frozen, so nobody can change the memory behind the store's back.

export function frozenCopy<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  // A map cannot be frozen: whoever hands one out copies it once more.
  if (value instanceof Map) return new Map(value);
  if (Array.isArray(value)) return Object.freeze(value.map(copy));
  const copied: Record<string, unknown> = {};
  for (const key of Object.keys(value)) copied[key] = copy((value as Record<string, unknown>)[key]);
  return Object.freeze(copied);
}
