// Keys that work everywhere but where one types.

import { useEffect, useEffectEvent } from "react";
import type { Place } from "./places.ts";

export interface Shortcut {
  /** As in `g t`, `/` or `?`. */
  readonly keys: string;
  readonly does: string;
}

export const shortcutsTo = (places: readonly Place[]): readonly Shortcut[] => [
  { keys: "/", does: "Search tasks" },
  ...places.map(({ key, title }) => ({ keys: `g ${key}`, does: `Go to ${title}` })),
  { keys: "j / k", does: "Next and previous row of a list; Enter opens it" },
  { keys: "l", does: "Pause, and go on" },
  { keys: "m", does: "Light or dark" },
  { keys: "c", does: "Copy the page as curl" },
  { keys: "?", does: "This list" },
  { keys: "Esc", does: "Close, or leave the field" },
];

/** How long the second key may take. */
const pairMs = 1_200;

export function useShortcuts(onKeys: (keys: string) => boolean): void {
  const heard = useEffectEvent(onKeys);
  useEffect(() => {
    let first: { readonly key: string; readonly at: number } | null = null;
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isElsewhere(event.target)) return;
      const pair = first !== null && event.timeStamp - first.at < pairMs ? `${first.key} ${event.key}` : event.key;
      first = event.key === "g" && pair === "g" ? { key: "g", at: event.timeStamp } : null;
      if (first === null && heard(pair)) event.preventDefault();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

/** Where one types, and in what lies over the page: a dialog is answered, a menu has keys of its own. */
function isElsewhere(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return true;
  return target.closest("[role=dialog], [role=menu]") !== null;
}
