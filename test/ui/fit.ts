// Whether a page keeps within its window: nobody should have to push it from side to side.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** Fails when the page is wider than its window, and names what sticks out; what scrolls in a box of its own may be wide. */
export async function assertFits(page: Page): Promise<void> {
  // Not what the page takes for its width: on a phone, one without a viewport tag believes to be on a desk.
  const wide = await page.evaluate<string[] | null>(stickingOut(page.viewportSize()?.width ?? 0));
  assert.equal(wide, null, `${page.url()} is wider than its window: ${wide?.join(", ")}`);
}

/** Runs in the page. */
const stickingOut = (width: number) => `(() => {
  const width = ${width};
  if (document.documentElement.scrollWidth <= width) return null;
  const name = (element) => element.tagName.toLowerCase() + (element.id && "#" + element.id);
  return [...document.querySelectorAll("body *")]
    .filter((element) => element.getBoundingClientRect().right > width + 1)
    .slice(0, 5)
    .map((element) => name(element) + " to " + Math.round(element.getBoundingClientRect().right));
})()`;
