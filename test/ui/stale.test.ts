import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { faultsOf, withBrowser } from "./browser.ts";
import type { HiredWorker } from "./crew.ts";
import { type UiScene, uiScene } from "./scene.ts";
import { enter, see, seeNo } from "./see.ts";

let scene: UiScene;
let worker: HiredWorker;
before(async () => {
  scene = await uiScene();
  worker = await scene.hire();
});

test("figures that the server does not answer any more are told to be old, until it does", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", `/fleet/${worker.id}`);
  await see(page, "worker-held", "0 of 4");
  faultsOf(page).expect(/^response: 429 GET .*\/v1\/workers\//);
  const asked = `**/v1/workers/${worker.id}`;
  const body = JSON.stringify({ type: "https://leadhand.dev/problems/too-many-requests", detail: "Too many requests" });
  await page.route(asked, (route) => route.fulfill({ status: 429, contentType: "application/problem+json", body }));
  await see(page, "stale", /^As of \d\d:\d\d:\d\d: Too many requests$/);
  await see(page, "worker-held", "0 of 4");
  // Nothing happens meanwhile that would make the page look again.
  await page.unroute(asked);
  await seeNo(page, "stale", "As of");
});

test("a task that is deleted while one looks is not shown as if it were there", withBrowser, async (t) => {
  const { id } = await scene.client.submit("studio:analysis:Scan", { steps: 1, stepMs: 1 }, { room: "studio" });
  await scene.client.wait(id, { timeoutMs: 20_000 });
  const page = await enter(t, scene, "user", `/tasks/${id}`);
  await see(page, "task", "completed");
  faultsOf(page).expect(/^response: 404 GET .*\/v1\/tasks\//);
  await scene.as("admin").ask("DELETE", `/tasks/${id}`);
  await lookAgain(page);
  await see(page, "empty", "There is no such task");
  await seeNo(page, "retry");
});

/** Pausing, and going on, asks for everything again. */
async function lookAgain(page: Page): Promise<void> {
  await page.keyboard.press("l");
  await see(page, "live", "Paused");
  await page.keyboard.press("l");
  await see(page, "live", "Live");
}
