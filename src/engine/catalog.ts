// What this server knows of jobs, lanes and workers: a copy of the store's, brought up to date by what changed since
// the revision it has.

import type { Store } from "../ports/store.ts";
import type { Catalog as CatalogChange } from "../ports/store-reads.ts";
import { type CatalogIndex, catalogIndex } from "./catalog-index.ts";
import { type LaneSet, servedLanes } from "./served-lanes.ts";

export type { LaneSet };

export interface Catalog extends CatalogIndex {
  /** Loads what changed. Calls that arrive meanwhile share the next load. */
  refresh(): Promise<void>;
  revision(): number;
  laneSetOf(worker: string): LaneSet;
  /** The listener is handed what was written since the last time. */
  onChange(listener: (change: CatalogChange) => void): void;
}

export function catalog(store: Store): Catalog {
  const index = catalogIndex();
  const served = servedLanes(index);
  const listeners: ((change: CatalogChange) => void)[] = [];
  let revision = 0;
  let loading: Promise<void> | null = null;
  let loadingNext: Promise<void> | null = null;

  async function load(): Promise<void> {
    const change = await store.read("catalog", { after: revision });
    index.keep(change);
    served.forget(change);
    revision = change.revision;
    for (const listener of listeners) listener(change);
  }

  function refresh(): Promise<void> {
    if (loading === null) {
      loading = load().finally(() => {
        loading = null;
      });
      return loading;
    }
    // What is being read may have been read before the change the caller knows of.
    loadingNext ??= loading
      .catch(() => {})
      .then(() => {
        loadingNext = null;
        return refresh();
      });
    return loadingNext;
  }

  return {
    ...index,
    refresh,
    revision: () => revision,
    laneSetOf: (worker) => served.of(worker),
    onChange: (listener) => void listeners.push(listener),
  };
}
