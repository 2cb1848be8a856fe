import type { ComponentProps } from "react";

/** What scrolls, and so can be reached by keys; its label says what it is. */
export function Scrolled(props: ComponentProps<"section"> & { readonly "aria-label": string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
  return <section tabIndex={0} {...props} />;
}
