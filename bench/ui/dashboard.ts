// The dashboard in a browser, on a server with a board: what every measurement in the browser begins with.

import { setTimeout as pause } from "node:timers/promises";
import type { BrowserContext, CDPSession, Page } from "playwright-core";
import type { MeasureInput } from "../measure.ts";
import { type BenchServer, benchServer } from "../rest/bench-server.ts";
import { type BenchBrowser, openBrowser, type Session } from "./browser.ts";
import type { QuietPage } from "./quiet-page.ts";

/** The pages that are measured, and what each shows once it means something. */
export const pages = { tasks: "/ui/tasks", pulse: "/ui/" } as const;
export type PageName = keyof typeof pages;

export const queryBar = "[data-testid=query-bar]";
export const taskList = "[data-testid=task-list]";

export interface Dashboard {
  readonly server: BenchServer;
  readonly browser: BenchBrowser;
  readonly session: Session;
  urlOf(page: PageName): string;
  /** A page in a window of its own, as it is some seconds after it has shown what it is for. */
  settled(page: PageName): Promise<Page>;
  /** The same, and nobody listens in on it. */
  quiet(page: PageName): Promise<QuietPage>;
  stop(): Promise<void>;
}

/** How long a page may take to show something, which is far more than it should. */
export const shownMsMax = 20_000;
/** What a page still has to do when it can be read already is done by then. */
const settleMs = 3_000;

export async function openDashboard(input: MeasureInput): Promise<Dashboard> {
  const server = await benchServer(input);
  const browser = await openBrowser();
  const origin = `http://127.0.0.1:${server.port}`;
  const session = await login(await browser.window(null), origin, server.token);
  const urlOf = (page: PageName): string => `${origin}${pages[page]}`;
  return {
    server,
    browser,
    session,
    urlOf,
    async settled(name) {
      const page = await (await browser.window(session)).newPage();
      await page.goto(urlOf(name));
      await shownAt(page);
      await pause(settleMs);
      return page;
    },
    async quiet(name) {
      const page = await browser.quiet(urlOf(name), session);
      await shownAt(page);
      await pause(settleMs);
      return page;
    },
    async stop() {
      await browser.close();
      await server.stop();
    },
  };
}

/** Pages that are opened with the cookie have never been visited before, so their cache is empty. */
export async function login(window: BrowserContext, origin: string, token: string): Promise<Session> {
  const answer = await window.request.post(`${origin}/v1/session`, { data: { token } });
  if (!answer.ok()) throw new Error(`The login was refused: ${answer.status()} ${await answer.text()}`);
  const cookies = await window.cookies();
  await window.close();
  return cookies;
}

/** A page of either kind. */
interface Asked {
  url(): string;
  evaluate<T>(expression: string): Promise<T>;
}

/** When, after the navigation began, the page first showed what it is for. */
export async function shownAt(page: Asked): Promise<number> {
  const late = pause(shownMsMax, null, { ref: false }).then(() => {
    throw new Error(`${page.url()} showed neither tasks nor figures within ${shownMsMax / 1_000} s`);
  });
  return Promise.race([askRows(page, "shown()"), late]);
}

/** What is found by the probe in page/rows.js. */
export function askRows(page: Asked, words: string): Promise<number> {
  return page.evaluate<number>(`leadhandRows.${words}`);
}

/** What is found by the probe in page/live.js. */
export function askLive<T>(page: Asked, words: string): Promise<T> {
  return page.evaluate<T>(`leadhandLive.${words}`);
}

export function developerTools(page: Page): Promise<CDPSession> {
  return page.context().newCDPSession(page);
}
