import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../../src/testing/until.ts";
import { withBrowser } from "./browser.ts";
import { copyAMillionTimes, type Million } from "./million.ts";
import { type UiScene, uiScene } from "./scene.ts";
import { enter, see } from "./see.ts";

let scene: UiScene;
let million: Million;
before(async () => {
  scene = await uiScene();
  await scene.hire();
  const { id } = await scene.client.submit(
    "studio:modifiers:Rotate",
    { picture: "a.png", angle: 1 },
    { room: "studio" },
  );
  await scene.client.wait(id, { timeoutMs: 20_000 });
  million = copyAMillionTimes(scene.where[1] as string, id);
});

test("a million tasks are filtered, counted, and scrolled through to the first that failed", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/tasks");
  await see(page, "task-row", "completed");
  await see(page, "matching", /more than|1,000,00\d tasks/);

  await ask(page, "state:failed error~dusty");
  await see(page, "task-row", "The lens is dusty");
  assert.equal(await page.locator("[data-testid=task-row]:not([data-state=failed])").count(), 0);
  await see(page, "chip-failed", million.failed.toLocaleString("en"));

  await ask(page, "input.picture=copy-4711.png");
  await see(page, "task-row");
  assert.equal(await pictureOf("input.picture=copy-4711.png"), "copy-4711.png");

  await ask(page, "state:failed");
  const rows = page.getByTestId("task-row");
  await rows.first().waitFor();
  await page.getByTestId("task-list").focus();
  const last = page.locator(`[data-testid=task-row][aria-posinset="${million.failed}"]`);
  await until(
    "the list is at its end",
    async () => {
      await page.keyboard.press("End");
      return last.isVisible();
    },
    30_000,
  );
  const drawn = await rows.count();
  assert.ok(drawn < 100, `only what is in sight is drawn, not ${drawn} rows`);
});

/** Of the first that is found: a slow machine may come less far in one look. */
async function pictureOf(query: string): Promise<string> {
  let found = await scene.as("viewer").ask("GET", `/tasks?q=${query}&limit=1`);
  while (found.items.length === 0) {
    assert.notEqual(found.next_cursor, null, "it was looked for everywhere");
    found = await scene.as("viewer").ask("GET", `/tasks?q=${query}&limit=1&cursor=${found.next_cursor}`);
  }
  return found.items[0].payload.picture;
}

async function ask(page: Page, query: string): Promise<void> {
  const bar = page.getByTestId("query-bar");
  await bar.fill(query);
  await bar.press("Enter");
}
