import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { until } from "../../src/testing/until.ts";
import { withBrowser } from "./browser.ts";
import { type UiScene, uiScene, userName } from "./scene.ts";
import { confirm, enter, see, seeNo } from "./see.ts";

let scene: UiScene;
before(async () => {
  scene = await uiScene();
  await scene.hire({ name: "press-north", host: "north.example" });
});

test("a worker is paused and resumed from its tile, with a note that everybody finds", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", "/fleet");
  const tile = await tileOf(page, "press-north");
  await choose(page, tile, "Pause…");
  await confirm(page, "a new kernel");
  await tile.locator("[data-mark=paused]").waitFor();
  await see(page, "fleet-paused", "1");
  const looking = await enter(t, scene, "viewer", "/fleet");
  await (await tileOf(looking, "press-north")).locator("[data-mark=paused][title*='a new kernel']").waitFor();

  await choose(page, tile, "Resume…");
  await confirm(page, "it is in place");
  await tile.locator("[data-mark=paused]").waitFor({ state: "detached" });
  await looking.locator("[data-mark=paused]").waitFor({ state: "detached" });
  await page.goto("/ui/audit");
  await seeAct(page, "worker.resume", "it is in place");
  await seeAct(page, "worker.pause", "a new kernel");
});

test("a worker is resized from its page, and says that it heard", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", "/fleet");
  await (await tileOf(page, "press-north")).getByRole("link", { name: "press-north" }).click();
  await page.getByTestId("worker-resize").click();
  await page.getByRole("dialog").getByLabel("Tasks at a time").fill("2");
  await confirm(page, "fans are loud");
  await see(page, "worker", /Resized\s+to 2 at a time/);
  await see(page, "command-list", /concurrency.*2.*fans are loud.*done/);
  await page.getByTestId("worker-resize").click();
  await page.getByRole("dialog").getByLabel("Tasks at a time").fill("");
  await confirm(page);
  await seeNo(page, "worker", /Resized\s+to 2 at a time/);
});

test(
  "a drained worker ends what it holds, is seen to leave, and the audit tells who wanted it",
  withBrowser,
  async (t) => {
    const leaving = await scene.hire({ name: "press-old", host: "old.example", labels: { site: "old" } });
    const { id: held } = await scene.client.submit(
      "studio:selections:Hold",
      {},
      { room: "studio", labels: { site: "old" } },
    );
    await until("it holds its task", () => leaving.holds(held), 15_000);
    const page = await enter(t, scene, "user", "/fleet");
    const tile = await tileOf(page, "press-old");
    await choose(page, tile, "Drain…");
    await confirm(page, "the machine goes back");
    await tile.locator("[data-mark=draining]").waitFor();
    assert.equal((await scene.client.get(held)).status, "running");
    await scene.client.cancel(held);
    await tile.getByRole("img", { name: "0 of 4 slots taken" }).waitFor();
    await leaving.stop();
    await page.locator(`[data-worker="${leaving.id}"][data-state=DELETED]`).waitFor();
    await page.goto(`/ui/audit?target=${leaving.id}`);
    const line = await seeAct(page, "worker.drain", "the machine goes back");
    await line.getByRole("cell", { name: userName, exact: true }).waitFor();
  },
);

test(
  "a worker that is killed turns on its tile, and its task waits again and finds another",
  withBrowser,
  async (t) => {
    const doomed = await scene.hire({ name: "press-doomed", host: "doomed.example", labels: { site: "edge" } });
    const { id: held } = await scene.client.submit(
      "studio:selections:Hold",
      {},
      { room: "studio", labels: { site: "edge" } },
    );
    await until("it holds its task", () => doomed.holds(held), 15_000);
    const page = await enter(t, scene, "viewer", "/fleet?by=label:site");
    await (await tileOf(page, "press-doomed")).and(page.locator("[data-state=ONLINE]")).waitFor();
    const task = await enter(t, scene, "viewer", `/tasks/${held}`);
    await see(task, "task", "running");

    await doomed.kill();
    await page.locator(`[data-worker="${doomed.id}"][data-state=DELETED]`).waitFor();
    await see(task, "task", "pending");
    await see(task, "timeline", /lost/i);
    const heir = await scene.hire({ name: "press-heir", host: "heir.example", labels: { site: "edge" } });
    await see(task, "task", "running");
    await see(task, "timeline", "press-heir");
    await until("the heir holds it", () => heir.holds(held), 15_000);
  },
);

async function tileOf(page: Page, name: string): Promise<Locator> {
  return see(page, "worker-tile", name);
}

async function choose(page: Page, tile: Locator, act: string): Promise<void> {
  await tile.getByTestId("worker-menu").click();
  await page.getByRole("menuitem", { name: act }).click();
}

async function seeAct(page: Page, act: string, note: string): Promise<Locator> {
  const line = page.getByTestId("audit-list").getByRole("row").filter({ hasText: act }).filter({ hasText: note });
  await line.first().waitFor();
  return line.first();
}
