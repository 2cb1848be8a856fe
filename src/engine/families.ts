// Whether a parent has open children decides about its end, and only then: so a decision is made without knowing, and
// made again when it turns out that it had to know.

import type { Amendment, AmendView, Decide } from "../ports/store.ts";

/** Whether the task has an open child beside those that the scope names. */
export type OpenBeside = (parent: string) => boolean;

export function withFamilies<T>(decide: (view: AmendView, openBeside: OpenBeside) => Amendment<T>): Decide<T> {
  return (view) => {
    const families = new Set<string>();
    const amendment = decide(view, (parent) => {
      const open = view.families.get(parent);
      if (open === undefined) families.add(parent);
      return open ?? false;
    });
    return families.size === 0 ? amendment : { families: [...families] };
  };
}
