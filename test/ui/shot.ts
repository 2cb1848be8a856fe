// Pictures of pages. Tests always take them, so that what takes them works; they are kept only where somebody named a
// folder for them, as `npm run screenshots` does.

import { join } from "node:path";
import type { Page } from "playwright-core";
import { environmentVariable } from "../../src/server/config.ts";
import { temporaryFolder } from "../leadhand-process.ts";
import { type Look, lookOf } from "./browser.ts";

let folder: Promise<string> | undefined;

/** What is to be seen of the page, as it looks now. Answers the file. */
export async function shot(page: Page, name: string): Promise<string> {
  folder ??= Promise.resolve(environmentVariable("LEADHAND_TEST_SCREENSHOTS") ?? temporaryFolder());
  const path = join(await folder, shotName(name, lookOf(page)));
  await page.screenshot({ path, animations: "disabled", caret: "hide", scale: "css" });
  return path;
}

/** As in `tasks-dark-phone.png`; the desk is not named. */
export function shotName(name: string, { size, scheme }: Look): string {
  return `${name}-${scheme}${size === "desktop" ? "" : `-${size}`}.png`;
}
