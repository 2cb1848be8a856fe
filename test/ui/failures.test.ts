import assert from "node:assert/strict";
import { before, test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { withBrowser } from "./browser.ts";
import { aDay, type Day } from "./day.ts";
import { type UiScene, uiScene } from "./scene.ts";
import { confirm, enter, see } from "./see.ts";

let scene: UiScene;
let day: Day;
before(async () => {
  scene = await uiScene();
  day = await aDay(scene);
});

test("failures that are alike are one group, whatever numbers and names are in their words", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/failures");
  const rows = page.getByTestId("failure-row");
  await until("there are three groups", async () => (await rows.count()) === 3, 15_000);
  for (const words of [/There is no mailbox/, /Cannot read row/, /JobTimeout/]) {
    await see(page, "failure-row", words);
    assert.match((await rows.filter({ hasText: words }).textContent()) ?? "", /3\s*tasks/);
  }
  await rows.filter({ hasText: "no mailbox" }).getByRole("link", { name: "All" }).click();
  await see(page, "matching", "3 tasks");
  const shown = page.getByTestId("task-row");
  await until("all three are there", async () => (await shown.count()) === 3);
  const ids = await Promise.all((await shown.all()).map((row) => row.getAttribute("data-id")));
  assert.deepEqual(ids.toSorted(), day.tasks.failed.refused.toSorted());
});

test("a group is retried as a whole, each of its tasks once", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", "/failures");
  const row = await see(page, "failure-row", "Cannot read row");
  await row.getByTestId("retry-all").click();
  await page.getByRole("dialog", { name: "Retry 3 tasks?" }).waitFor();
  await confirm(page, "the disk is back");
  await see(page, "failure-row", /Cannot read row.*6\s*tasks/);
  for (const first of day.tasks.failed.broken) {
    const { items } = await scene.as("viewer").ask("GET", `/tasks?q=retry_of:${first}`);
    assert.equal(items.length, 1);
  }
  await page.goto("/ui/audit");
  await see(page, "audit-list", /tasks\.retry.*the disk is back/);
});

test("the pulse leads to the failures of its window, and to the workers of each state", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/?window=6h");
  await page.getByRole("link", { name: /tasks: why\?$/ }).click();
  await see(page, "failure-row", "no mailbox");
  assert.equal(new URL(page.url()).searchParams.get("window"), "6h");
  await see(page, "failures", "failed in 6h");
  await page.goBack();
  await (await see(page, "pulse-online", "3")).click();
  await see(page, "worker-tile", "press-gpu");
  assert.equal(new URL(page.url()).searchParams.get("state"), "online");
});
