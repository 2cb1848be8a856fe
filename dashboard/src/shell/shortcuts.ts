// Keys that work everywhere but where one types.

import { useEffect, useEffectEvent } from "react";
import { places } from "./places.ts";

export interface Shortcut {
  /** As in `g t`, `/` or `?`. */
  readonly keys: string;
  readonly does: string;
}

export const shortcuts: readonly Shortcut[] = [
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
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
      const pair = first !== null && event.timeStamp - first.at < pairMs ? `${first.key} ${event.key}` : event.key;
      first = event.key === "g" && pair === "g" ? { key: "g", at: event.timeStamp } : null;
      if (first === null && heard(pair)) event.preventDefault();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
