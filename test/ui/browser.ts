// A real Chromium, one for a test file, and pages in it that fail their test when something is wrong with them.

import { after, type TestContext } from "node:test";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { environmentVariable } from "../../src/server/config.ts";
import { type Faults, watchFaults } from "./faults.ts";

const program = environmentVariable("LEADHAND_TEST_CHROMIUM");

/** The option of a test that needs a browser. */
export const withBrowser = { skip: program === undefined && "LEADHAND_TEST_CHROMIUM is not set" };

export const sizes = {
  desktop: { width: 1_440, height: 900 },
  tablet: { width: 820, height: 1_180 },
  phone: { width: 390, height: 844 },
} as const;
export type Size = keyof typeof sizes;
export const schemes = ["light", "dark"] as const;
export type Scheme = (typeof schemes)[number];

export interface Look {
  readonly size: Size;
  readonly scheme: Scheme;
}

export interface PageOptions extends Partial<Look> {
  /** Of the server; paths of the page are below it. */
  readonly url: string;
}

/** Far more than anything here takes, but on a machine that is very busy; and less than a test has. */
const stepLimitMs = 15_000;

let running: Promise<Browser> | undefined;
after(async () => (await running)?.close());

/**
 * A page with cookies and storage of its own. The test fails, after its own steps, by whatever the page complained of that
 * was not expected: see `faultsOf`.
 */
export async function openPage(
  t: TestContext,
  { url, size = "desktop", scheme = "light" }: PageOptions,
): Promise<Page> {
  running ??= launch();
  const context = await (await running).newContext({ ...steady, ...screenOf(size), colorScheme: scheme, baseURL: url });
  context.setDefaultTimeout(stepLimitMs);
  const faults = await watchFaults(context, new URL(url).origin);
  const page = await context.newPage();
  known.set(page, { look: { size, scheme }, faults });
  t.after(async () => {
    await context.close();
    faults.check();
  });
  return page;
}

/** What the page has complained of so far, and what the test expects it to. */
export function faultsOf(page: Page): Faults {
  return of(page).faults;
}

export function lookOf(page: Page): Look {
  return of(page).look;
}

/** The same page in another window and in other colours, without loading it again. */
export async function changeLook(page: Page, change: Partial<Look>): Promise<void> {
  const { look, faults } = of(page);
  const next = { ...look, ...change };
  await page.setViewportSize(sizes[next.size]);
  await page.emulateMedia({ colorScheme: next.scheme });
  known.set(page, { look: next, faults });
}

/** Every size in every colour scheme, one after another; the page ends as it began. */
export async function inEveryLook(page: Page, see: (look: Look) => Promise<void>): Promise<void> {
  const first = lookOf(page);
  for (const size of Object.keys(sizes) as Size[]) {
    for (const scheme of schemes) {
      await changeLook(page, { size, scheme });
      await see({ size, scheme });
    }
  }
  await changeLook(page, first);
}

const known = new WeakMap<Page, { readonly look: Look; readonly faults: Faults }>();

function of(page: Page): { readonly look: Look; readonly faults: Faults } {
  const about = known.get(page);
  if (about === undefined) throw new Error("This page was not made by openPage");
  return about;
}

/** The same on every machine: words, times and pixels do not depend on where the tests run. */
const steady = {
  locale: "en-GB",
  timezoneId: "UTC",
  reducedMotion: "reduce",
  deviceScaleFactor: 1,
  serviceWorkers: "block",
} as const satisfies BrowserContextOptions;

function screenOf(size: Size): BrowserContextOptions {
  // A mobile browser heeds the page's viewport tag: a page without one is laid out for a desk and shrunk.
  return { viewport: sizes[size], hasTouch: size !== "desktop", isMobile: size === "phone" };
}

function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: program as string,
    // Containers and root have no sandbox to offer; the only pages are ours.
    chromiumSandbox: false,
    // Playwright itself turns off background networking, updates, throttling and first-run pages.
    args: ["--disable-gpu", "--disable-lcd-text", "--font-render-hinting=none", "--no-proxy-server"],
    timeout: 60_000,
  });
}
