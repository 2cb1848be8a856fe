// How long a person looks at nothing: from the navigation until rows, or the figure, are on the screen.

import type { Page } from "playwright-core";
import playwright from "playwright-core/package.json" with { type: "json" };
import { type Measured, type MeasureInput, parameter, word } from "../../measure.ts";
import { median } from "../../statistics.ts";
import { askRows, openDashboard, type PageName, shownAt } from "../dashboard.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const name = word(input, "page") as PageName;
  const { browser, session, urlOf, stop } = await openDashboard(input);

  async function load(page: Page): Promise<Load> {
    await page.goto(urlOf(name), { waitUntil: "commit" });
    const shownMs = await shownAt(page);
    return { shownMs, largestMs: await askRows(page, "largest()") };
  }

  const cold: Load[] = [];
  const warm: Load[] = [];
  // The first one finds a server and a browser that have not done this before.
  for (let nth = -1; nth < parameter(input, "loads"); nth += 1) {
    const window = await browser.window(session);
    const page = await window.newPage();
    const [first, again] = [await load(page), await load(page)];
    if (nth >= 0) {
      cold.push(first);
      warm.push(again);
    }
    await window.close();
  }
  await stop();
  return {
    figures: { ...figuresOf("cold", cold), ...figuresOf("warm", warm) },
    notes: [`Chromium ${browser.version}, playwright-core ${playwright.version}`],
  };
}

interface Load {
  readonly shownMs: number;
  /** Of the largest text or picture, as Chromium tells it. */
  readonly largestMs: number;
}

function figuresOf(key: string, loads: readonly Load[]): Record<string, number> {
  const shown = loads.map(({ shownMs }) => shownMs);
  return {
    [`${key}Ms`]: median(shown),
    [`${key}MostMs`]: Math.max(...shown),
    [`${key}LargestMs`]: median(loads.map(({ largestMs }) => largestMs)),
  };
}
