// Chromium, driven through playwright-core, with probes in every page. It has no head and, on most machines that
// measure, no graphics card: what a card would draw is drawn by the processor, in a process of its own.

import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from "playwright-core";
import { type QuietPage, quietPage } from "./quiet-page.ts";

export interface BenchBrowser {
  readonly version: string;
  /** A window of its own, with an empty cache; logged in with what `login` gave. */
  window(session: Session | null): Promise<BrowserContext>;
  /** A page on which nothing is kept but what it keeps itself; logged in likewise. */
  quiet(url: string, session: Session): Promise<QuietPage>;
  /** Processor time of all pages, and of what draws for them, since the start. */
  cpu(): Promise<BrowserCpu>;
  /** Frames that were drawn, and such as came too late for it, while `work` went on. */
  traced(page: Page, work: () => Promise<void>): Promise<TracedFrames>;
  close(): Promise<void>;
}

export type Session = Awaited<ReturnType<BrowserContext["cookies"]>>;

export interface BrowserCpu {
  readonly pagesMs: number;
  readonly drawingMs: number;
}

export interface TracedFrames {
  readonly drawn: number;
  readonly dropped: number;
}

const probes = ["rows", "live"].map((name) => fileURLToPath(new URL(`./page/${name}.js`, import.meta.url)));
const viewport = { width: 1_440, height: 900 };

export async function openBrowser(): Promise<BenchBrowser> {
  // Chromium will not run as root inside its sandbox.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath: chromiumProgram(), args });
  const own = await browser.newBrowserCDPSession();
  return {
    version: browser.version(),
    async window(session) {
      const context = await browser.newContext({ viewport });
      for (const path of probes) await context.addInitScript({ path });
      if (session !== null) await context.addCookies(session);
      return context;
    },
    quiet(url, session) {
      const sources = probes.map((path) => readFileSync(path, "utf8"));
      return quietPage(own, { url, session, viewport, probes: sources });
    },
    cpu: () => cpuOf(own),
    traced: (page, work) => traced(browser, page, work),
    close: () => browser.close(),
  };
}

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

function chromiumProgram(): string {
  const set = process.env["LEADHAND_TEST_CHROMIUM"];
  if (set) return set;
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  const found = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram);
  if (found === undefined) throw new Error("No Chromium was found: install it, or set LEADHAND_TEST_CHROMIUM to it");
  return found;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function cpuOf(session: CDPSession): Promise<BrowserCpu> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const msOf = (type: string): number =>
    processInfo.reduce((sum, each) => sum + (each.type === type ? 1_000 * each.cpuTime : 0), 0);
  return { pagesMs: msOf("renderer"), drawingMs: msOf("GPU") };
}

async function traced(browser: Browser, page: Page, work: () => Promise<void>): Promise<TracedFrames> {
  await browser.startTracing(page, {
    categories: ["disabled-by-default-devtools.timeline.frame", "devtools.timeline.frame"],
  });
  await work();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const count = (name: string): number => trace.traceEvents.filter((event) => event.name === name).length;
  return { drawn: count("DrawFrame"), dropped: count("DroppedFrame") };
}

interface TraceEvent {
  readonly name: string;
}
