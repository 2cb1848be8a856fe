import { useSyncExternalStore } from "react";

/** As in the style sheets: a phone held upright. */
const narrow = matchMedia("(width < 700px)");

function watch(watcher: () => void): () => void {
  narrow.addEventListener("change", watcher);
  return () => narrow.removeEventListener("change", watcher);
}

export function useIsNarrow(): boolean {
  return useSyncExternalStore(watch, () => narrow.matches);
}
