// A Map through which many pass. The engine gives such a Map a new table every few hundred entries, and lets each table
// point to the next; so one that has grown old keeps all that come after it, with all that was ever in them, until the
// next full collection. A copy in time ends the trail.

export interface Passage<K, V> {
  /** As it is now; not to be kept. */
  map(): ReadonlyMap<K, V>;
  set(key: K, value: V): void;
  delete(key: K): void;
}

const renewEvery = 1_000;

export function passage<K, V>(): Passage<K, V> {
  let map = new Map<K, V>();
  let setSince = 0;
  return {
    map: () => map,
    set(key, value) {
      setSince += 1;
      if (setSince >= renewEvery + map.size) {
        map = new Map(map);
        setSince = 0;
      }
      map.set(key, value);
    },
    delete: (key) => void map.delete(key),
  };
}
