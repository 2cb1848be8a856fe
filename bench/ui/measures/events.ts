// What a page costs its reader while events arrive: processor time of Chromium's process that has the page.

import { setTimeout as pause } from "node:timers/promises";
import { type Measured, type MeasureInput, parameter, word } from "../../measure.ts";
import type { BrowserCpu } from "../browser.ts";
import { askLive, openDashboard, type PageName } from "../dashboard.ts";
import { startLoad } from "../page-load.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const seconds = parameter(input, "seconds");
  const dashboard = await openDashboard(input);
  const { server, browser } = dashboard;
  const page = await dashboard.settled(word(input, "page") as PageName);

  /** In per cent of one core. */
  async function watched(forSeconds: number): Promise<BrowserCpu & { readonly serverMs: number }> {
    const [before, serverBefore, at] = [await browser.cpu(), server.cpuMs(), performance.now()];
    await pause(1_000 * forSeconds);
    const [after, serverAfter] = [await browser.cpu(), server.cpuMs()];
    const share = (ms: number): number => (100 * ms) / (performance.now() - at);
    return {
      pagesMs: share(after.pagesMs - before.pagesMs),
      drawingMs: share(after.drawingMs - before.drawingMs),
      serverMs: share(serverAfter - serverBefore),
    };
  }

  const idle = await watched(Math.ceil(seconds / 4));
  const load = await startLoad(server, parameter(input, "eventsPerSecond"), input);
  await pause(2_000);
  const [happened, told, at] = [await load.happened(), await askLive<number>(page, "events()"), performance.now()];
  const busy = await watched(seconds);
  const perSecond = (events: number): number => (1_000 * events) / (performance.now() - at);
  const rates = {
    events: perSecond((await load.happened()) - happened),
    told: perSecond((await askLive<number>(page, "events()")) - told),
  };
  await load.stop();
  await dashboard.stop();
  return {
    figures: {
      pagePercent: busy.pagesMs,
      drawingPercent: busy.drawingMs,
      idlePercent: idle.pagesMs,
      serverPercent: busy.serverMs,
      ...rates,
    },
  };
}
