// What a person sees, waited for: a page has its limit to show it, and nobody sleeps.

import type { TestContext } from "node:test";
import type { Locator, Page } from "playwright-core";
import { openPage, type PageOptions } from "./browser.ts";
import { logIn, type Role, type UiScene } from "./scene.ts";

/** A page of the dashboard, as somebody who is logged in. */
export async function enter(
  t: TestContext,
  scene: UiScene,
  role: Role,
  path: string,
  options: Omit<PageOptions, "url"> = {},
): Promise<Page> {
  const page = await openPage(t, { url: scene.url, ...options });
  await logIn(page, scene.tokens[role]);
  await page.goto(`/ui${path}`);
  await see(page, "live", "Live");
  return page;
}

/** Comes back when the part of this name is in sight, with these words in it. */
export async function see(place: Page | Locator, testId: string, words?: string | RegExp): Promise<Locator> {
  const part = place.getByTestId(testId).filter(words === undefined ? {} : { hasText: words });
  await part.first().waitFor();
  return part.first();
}

/** Comes back when no such part, with these words, is there any more. */
export async function seeNo(place: Page | Locator, testId: string, words?: string | RegExp): Promise<void> {
  const part = place.getByTestId(testId).filter(words === undefined ? {} : { hasText: words });
  await part.first().waitFor({ state: "detached" });
}

/** Words in the corner, which go away by themselves. */
export async function seeWords(page: Page, words: string | RegExp): Promise<void> {
  await page.getByText(words).first().waitFor();
}

/** Says yes in the dialog that asks once more, and why. */
export async function confirm(page: Page, note?: string): Promise<void> {
  const dialog = page.getByRole("dialog").filter({ has: page.getByTestId("confirm") });
  await dialog.waitFor();
  if (note !== undefined) await dialog.getByLabel("Note").fill(note);
  await dialog.getByTestId("confirm").click();
  await dialog.waitFor({ state: "detached" });
}
