// Looking at one page of the dashboard from all sides.

import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { axe } from "./axe.ts";
import { faultsOf, inEveryLook, type Look, openPage } from "./browser.ts";
import { assertFits } from "./fit.ts";
import { shot } from "./shot.ts";

export interface Sight {
  readonly url: string;
  /** Below `/ui`. */
  readonly path: string;
  /** What has to be on it, by its `data-testid`. */
  readonly shows: string;
  /** Of the pictures. */
  readonly name: string;
  readonly enter?: (page: Page) => Promise<void>;
  /** What it may complain of, and has to. */
  readonly expected?: RegExp;
}

export async function lookAt(t: TestContext, { url, path, shows, name, enter, expected }: Sight): Promise<Page> {
  const page = await openPage(t, { url });
  if (expected !== undefined) faultsOf(page).expect(expected);
  await enter?.(page);
  await page.goto(`/ui${path}`);
  await page.getByTestId(shows).first().waitFor();
  await loaded(page);
  await inEveryLook(page, async (look) => {
    if (isChecked(look)) await axe(page);
    await assertFits(page);
    await shot(page, name);
  });
  return page;
}

/** Everything that was asked for is there. */
export async function loaded(page: Page): Promise<void> {
  await page.locator('[role="status"][aria-label="Loading"]').first().waitFor({ state: "detached" });
  await page.evaluate("document.fonts.ready");
}

/** Contrast is a matter of the colours, the rest of the parts that there are: once for a phone will do. */
function isChecked({ size, scheme }: Look): boolean {
  return size === "desktop" || (size === "phone" && scheme === "light");
}
