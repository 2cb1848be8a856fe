// Whether the page was come back to, by the browser's own buttons, or gone to.

import type { RouterHistory } from "@tanstack/react-router";

let back = false;

export function wentBack(): boolean {
  return back;
}

export function watchSteps(history: RouterHistory): void {
  history.subscribe(({ action }) => {
    back = action.type !== "PUSH" && action.type !== "REPLACE";
  });
}
