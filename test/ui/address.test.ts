import { before, test } from "node:test";
import { withBrowser } from "./browser.ts";
import type { HiredWorker } from "./crew.ts";
import { type UiScene, uiScene } from "./scene.ts";
import { enter, see } from "./see.ts";

let scene: UiScene;
let worker: HiredWorker;
before(async () => {
  scene = await uiScene();
  worker = await scene.hire();
});

test("a filter is typed anywhere in its field, and its list begins at the first page", withBrowser, async (t) => {
  await scene.as("admin").ask("POST", `/workers/${worker.id}/pause`, {});
  const page = await enter(t, scene, "admin", "/audit?offset=100");
  const who = page.getByLabel("Who");
  await who.pressSequentially("am", { delay: 5 });
  await who.press("ArrowLeft");
  await page.keyboard.type("d", { delay: 5 });
  await page.waitForURL((url) => url.search === "?actor=adm");
  await who.press("End");
  await page.keyboard.type("in", { delay: 5 });
  await page.waitForURL((url) => url.search === "?actor=admin");
  await see(page, "audit-list", "admin");
});

test("a job of any name has a way to its tasks", withBrowser, async (t) => {
  const job = { category: "analysis", name: 'Two "words", a comma' };
  const { full_name } = await scene.as("user").ask("PUT", "/rooms/studio/jobs", job);
  await scene.as("user").ask("POST", `/rooms/studio/tasks/${encodeURIComponent(full_name)}`, {});
  const page = await enter(t, scene, "user", `/jobs/${encodeURIComponent(full_name)}`);
  await page.getByRole("link", { name: "Its tasks" }).click();
  await see(page, "matching", "1 task");
});

test("the Pulse of a young server shows a quarter of an hour, unless the address says more", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/");
  const pressed = (window: string) => page.locator("button[aria-pressed=true]", { hasText: window }).waitFor();
  await pressed("15m");
  await see(page, "pulse", "in 15 min");
  await page.getByRole("button", { name: "1h", exact: true }).click();
  await page.waitForURL((url) => url.search === "?window=1h");
  await page.reload();
  await pressed("1h");
});
