import assert from "node:assert/strict";
import { before, test } from "node:test";
import { withBrowser } from "./browser.ts";
import { type UiScene, uiScene } from "./scene.ts";
import { enter, see, seeNo } from "./see.ts";

const many = 510;
let scene: UiScene;
before(async () => {
  scene = await uiScene();
  const specs = Array.from({ length: many }, (_, i) => ({
    id: `plant:operations:press-${String(i).padStart(3, "0")}`,
    schema: {},
  }));
  await scene.as("admin").ask("POST", "/specs", { specs });
});

test("more jobs than a page shows are counted, paged through and found by their names", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", "/jobs");
  await see(page, "jobs", `1 to 500 of ${many}`);
  await seeNo(page, "job-list", "press-000");
  await page.getByRole("button", { name: "Next" }).click();
  await see(page, "jobs", `501 to ${many} of ${many}`);
  await see(page, "job-list", "press-000");

  await page.getByLabel("Find").fill("PRESS-00");
  await see(page, "jobs", "10 jobs");
  assert.equal(await page.getByTestId("job-list").locator("tbody tr").count(), 10);
  assert.doesNotMatch(page.url(), /offset/);
  await page.getByLabel("Find").fill("lathe");
  await see(page, "jobs", "No job has that in its name");
});

test("the query bar completes names beyond the first page of them", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", "/tasks");
  // The newest come first, so this one comes last.
  await page.getByTestId("query-bar").fill("job:press-000");
  await see(page, "query-option", "plant:operations:press-000");
});
