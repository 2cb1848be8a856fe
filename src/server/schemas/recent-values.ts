/** The values used last, limited by number and by the length of their keys. */
export interface RecentValues<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

export function recentValues<Value>(limits: { countMax: number; keyLengthMax: number }): RecentValues<Value> {
  const values = new Map<string, Value>();
  let keyLength = 0;

  function drop(key: string): void {
    if (values.delete(key)) keyLength -= key.length;
  }

  return {
    get(key) {
      const value = values.get(key);
      if (value === undefined) return undefined;
      // A map keeps the order of insertion: what was used goes to the end.
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key, value) {
      drop(key);
      values.set(key, value);
      keyLength += key.length;
      for (const oldest of values.keys()) {
        if (values.size <= limits.countMax && keyLength <= limits.keyLengthMax) return;
        drop(oldest);
      }
    },
  };
}
