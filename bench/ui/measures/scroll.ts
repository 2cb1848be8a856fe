// Frames while a person scrolls down the list without a rest.

import type { Page } from "playwright-core";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { percentile } from "../../statistics.ts";
import { askLive, developerTools, openDashboard, taskList } from "../dashboard.ts";
import { startLoad } from "../page-load.ts";

/** A quick hand: three screens a second. */
const pixelsPerSecond = 2_700;
/** More than two frames at 60 a second. */
const lateMs = 34;

export async function measure(input: MeasureInput): Promise<Measured> {
  const seconds = parameter(input, "seconds");
  const { server, browser, settled, stop } = await openDashboard(input);
  const page = await settled("tasks");
  const load = await startLoad(server, parameter(input, "eventsPerSecond"), input);
  // The first stretch finds code that has not run yet.
  await scroll(page, 2);
  await askLive(page, "watchFrames()");
  const { drawn, dropped } = await browser.traced(page, () => scroll(page, seconds));
  const gaps = await askLive<number[]>(page, "frames()");
  await load.stop();
  await stop();
  return {
    figures: {
      latePercent: (100 * gaps.filter((ms) => ms > lateMs).length) / gaps.length,
      framesPerSecond: (1_000 * gaps.length) / gaps.reduce((sum, ms) => sum + ms, 0),
      gapP99Ms: percentile(gaps, 0.99),
      gapMostMs: Math.max(...gaps),
      droppedPercent: (100 * dropped) / Math.max(1, drawn + dropped),
    },
  };
}

async function scroll(page: Page, seconds: number): Promise<void> {
  const box = await page.locator(taskList).boundingBox();
  if (box === null) throw new Error("The page has no task list");
  const session = await developerTools(page);
  await session.send("Input.synthesizeScrollGesture", {
    x: box.x + box.width / 2,
    y: Math.min(box.y + box.height / 2, (page.viewportSize()?.height ?? 900) - 100),
    yDistance: -pixelsPerSecond * seconds,
    speed: pixelsPerSecond,
    gestureSourceType: "mouse",
    preventFling: true,
  });
  await session.detach();
}
