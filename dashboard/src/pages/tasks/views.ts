// Queries with a name. Some are always there; one's own are kept in this browser.

import { useSyncExternalStore } from "react";

export interface SavedView {
  readonly name: string;
  readonly query: string;
}

export const readyViews: readonly SavedView[] = [
  { name: "All", query: "" },
  { name: "Running now", query: "state:running" },
  { name: "Failed today", query: "state:failed ended<24h" },
  { name: "Waiting > 5 min", query: "state:ready waited>5m" },
  { name: "Lost at least once", query: "losses>0" },
];

const key = "leadhand.views";
const viewsMax = 50;
const watchers = new Set<() => void>();
let kept: readonly SavedView[] | null = null;

export function useSavedViews(): readonly SavedView[] {
  return useSyncExternalStore(watch, savedViews);
}

/** A view of the same name is replaced. */
export function saveView(view: SavedView): void {
  write([...savedViews().filter(({ name }) => name !== view.name), view].slice(-viewsMax));
}

export function forgetView(name: string): void {
  write(savedViews().filter((view) => view.name !== name));
}

function savedViews(): readonly SavedView[] {
  kept ??= read();
  return kept;
}

/** Whatever may be there: other versions, and people, write it too. */
function read(): readonly SavedView[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(found) ? found.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is SavedView {
  const view = value as Partial<SavedView> | null;
  return typeof view?.name === "string" && typeof view.query === "string";
}

function write(views: readonly SavedView[]): void {
  kept = views;
  localStorage.setItem(key, JSON.stringify(views));
  for (const watcher of watchers) watcher();
}

function watch(watcher: () => void): () => void {
  const elsewhere = (event: StorageEvent) => {
    if (event.key !== key) return;
    kept = null;
    watcher();
  };
  watchers.add(watcher);
  addEventListener("storage", elsewhere);
  return () => {
    watchers.delete(watcher);
    removeEventListener("storage", elsewhere);
  };
}
