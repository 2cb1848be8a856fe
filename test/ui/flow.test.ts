// What a working day is made of, once on PostgreSQL: a page must not know which store there is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { withPostgres } from "../fresh-database.ts";
import { run } from "../leadhand-process.ts";
import { openPage, withBrowser } from "./browser.ts";
import { uiScene } from "./scene.ts";
import { confirm, see, seeNo } from "./see.ts";

const needs = { skip: withBrowser.skip || withPostgres.skip };

test("on PostgreSQL a job is run, watched, cancelled and retried, and workers come and go", needs, async (t) => {
  const scene = await uiScene({ store: "postgres" });
  const north = await scene.hire({ name: "press-north" });
  const { out } = await run(["open", "--print"], { LEADHAND_URL: scene.url, LEADHAND_TOKEN: scene.tokens.admin });
  const page = await openPage(t, { url: scene.url });
  await page.goto(out.trim());
  await see(page, "pulse");
  assert.equal(page.url(), `${scene.url}/ui/`);

  await page.getByRole("link", { name: "Jobs" }).click();
  await page.getByRole("link", { name: "Scan", exact: true }).click();
  await page.getByTestId("run").click();
  await page.getByTestId("raw-payload").fill('{"steps": 10000, "stepMs": 100}');
  await page.getByTestId("submit").click();
  await see(page, "progress", /[1-9]\d* of 10,000/);
  await see(page, "log-line", "slice 1 of 10000");
  await page.getByTestId("cancel").click();
  await confirm(page);
  await see(page, "task", "cancelled");
  const first = page.url().slice(-36);
  await page.getByTestId("retry").click();
  await page.waitForURL((url) => !url.pathname.endsWith(first));
  await see(page, "progress", /[1-9]\d* of 10,000/);

  await north.kill();
  await see(page, "task", "pending");
  await see(page, "timeline", /lost/i);
  const south = await scene.hire({ name: "press-south" });
  await see(page, "timeline", "press-south");

  await page.goto(`/ui/fleet/${south.id}`);
  await page.getByTestId("worker-drain").click();
  await confirm(page, "enough for today");
  await see(page, "command-list", /drain.*enough for today.*done/);
  await page.goto("/ui/tasks?q=state:open");
  await see(page, "matching", "1 task");
  await page.getByTestId("cancel-all").click();
  await confirm(page);
  await see(page, "act", "1 done");
  await seeNo(page, "task-row");
  const { items } = await scene.as("viewer").ask("GET", "/tasks?q=state:cancelled");
  assert.equal(items.length, 2);
});
