import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../../src/testing/until.ts";
import { faultsOf, withBrowser } from "./browser.ts";
import { aDay, type Day } from "./day.ts";
import { type UiScene, uiScene } from "./scene.ts";
import { confirm, enter, see, seeNo } from "./see.ts";

let scene: UiScene;
let day: Day;
before(async () => {
  scene = await uiScene();
  day = await aDay(scene);
});

test("a query picks tasks, and its link shows the same to somebody else", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/tasks");
  await ask(page, "state:failed error~mailbox");
  await seeTasks(page, day.tasks.failed.refused);
  await see(page, "matching", "3 tasks");
  const url = new URL(page.url());
  assert.equal(url.searchParams.get("q"), "state:failed error~mailbox");

  const other = await enter(t, scene, "user", "/audit");
  await other.goto(url.href);
  await seeTasks(other, day.tasks.failed.refused);
  assert.equal(await other.getByTestId("query-bar").inputValue(), "state:failed error~mailbox");
});

for (const [query, wanted] of [
  ["input.kind=late", () => day.tasks.failed.late],
  ["code:no-mailbox -input.nth=2", () => day.tasks.failed.refused.toSpliced(1, 1)],
  ["state:delayed", () => [day.tasks.delayed]],
  ["worker:press-south", () => [day.tasks.held]],
  ["output.picture=picture-3.png@30", () => day.tasks.completed.slice(2, 3)],
  [`job:*Scan state:cancelled`, () => [day.tasks.cancelled]],
  ["age>1d", () => []],
] as const) {
  test(`the query ${query} shows what it says`, withBrowser, async (t) => {
    const page = await enter(t, scene, "viewer", `/tasks?q=${encodeURIComponent(query)}`);
    await seeTasks(page, wanted());
  });
}

test("a query is completed from what there is: fields, states, jobs and workers", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/tasks");
  const bar = page.getByTestId("query-bar");
  await bar.fill("sta");
  await pick(page, "state:");
  await bar.pressSequentially("fai");
  await pick(page, "failed");
  await bar.pressSequentially("job:imp");
  await pick(page, "studio:analysis:Import");
  assert.equal((await bar.inputValue()).trim(), "state:failed job:studio:analysis:Import");
  await seeTasks(page, Object.values(day.tasks.failed).flat());
  await bar.pressSequentially("worker:");
  for (const name of ["press-north", "press-gpu", "press-south"]) await see(page, "query-option", name);
});

test("a query that cannot be read is told at the character where reading ended", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", "/tasks");
  faultsOf(page).expect(/^response: 422 GET .*\/v1\/tasks/);
  await ask(page, "state:failed age>soon");
  const problem = await see(page, "query-problem", /at character 18/);
  assert.equal(await problem.locator("mark").textContent(), "s");
  await page.getByTestId("query-bar").and(page.locator("[aria-invalid=true]")).waitFor();
  for (const act of ["retry-all", "cancel-all"]) assert.ok(await page.getByTestId(act).isDisabled(), act);
  await problem.getByRole("button").click();
  await until("the caret is there", async () => (await caret(page)) === 17);
  await ask(page, "state:failed age>0s");
  await seeNo(page, "query-problem");
  await see(page, "task-row", "failed");
  await page.getByTestId("cancel-all").and(page.locator(":enabled")).waitFor();
});

test("chips narrow a query by its state, and say how many there are of each", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/tasks?q=job:*Import");
  await see(page, "chip-failed", "9");
  await page.getByTestId("chip-completed").click();
  await seeTasks(page, []);
  assert.equal(new URL(page.url()).searchParams.get("q"), "job:*Import state:completed");
  await page.getByTestId("chip-all").click();
  await see(page, "matching", "9 tasks");
});

test("a view that was saved is there the next day, until it is forgotten", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/tasks?q=code:no-mailbox");
  await page.getByTestId("save-view").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Lost letters");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.goto("/ui/tasks");
  await page.getByTestId("views").getByRole("button", { name: "Lost letters", exact: true }).click();
  await seeTasks(page, day.tasks.failed.refused);
  await page.getByRole("button", { name: "Forget the view Lost letters" }).click();
  await seeNo(page, "views", "Lost letters");
});

test("all that match are cancelled after a count, and the page tells how far it is", withBrowser, async (t) => {
  const query = "job:*Rotate input.picture=bulk.png";
  const bulk = Array.from({ length: 25 }, (_, nth) => ({
    job: "studio:modifiers:Rotate",
    payload: { picture: "bulk.png", angle: nth },
    options: { labels: { site: "moon" } },
  }));
  const made = await scene.client.submitMany("studio", bulk);
  const page = await enter(t, scene, "admin", `/tasks?q=${encodeURIComponent(query)}`);
  await see(page, "matching", "25 tasks");
  await page.getByTestId("cancel-all").click();
  await page.getByRole("dialog", { name: "Cancel 25 tasks?" }).waitFor();
  await confirm(page, "the moon is shut");
  await page.locator("[data-testid=act][data-state=done]").waitFor();
  await see(page, "act", "25 done");
  const states = await Promise.all(made.map(async ({ id }) => (await scene.client.get(id)).status));
  assert.deepEqual(new Set(states), new Set(["cancelled"]));
  assert.equal((await scene.client.get(day.tasks.waiting)).status, "pending", "others are left alone");
  await page.goto("/ui/audit");
  await see(page, "audit-list", /tasks\.cancel.*the moon is shut/);
});

test(
  "whoever thinks better of it cancels nothing, and where nothing can be done it is said",
  withBrowser,
  async (t) => {
    const page = await enter(t, scene, "user", `/tasks?q=id:${day.tasks.waiting}`);
    await seeTasks(page, [day.tasks.waiting]);
    await page.getByTestId("cancel-all").click();
    await page.getByRole("dialog").getByRole("button", { name: "Better not" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal((await scene.client.get(day.tasks.waiting)).status, "pending");
    await page.getByTestId("retry-all").click();
    await page.getByText("No task that ended matches").first().waitFor();
  },
);

test("tasks of others that one may not cancel are left out, and the page says so", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", `/tasks?q=id:${day.tasks.waiting}`);
  await page.getByTestId("cancel-all").click();
  const dialog = page.getByRole("dialog", { name: "Cancel 0 of 1 task?" });
  await dialog.getByText("What others have submitted is left out").waitFor();
  await confirm(page);
  await see(page, "act", "0 done, 1 left out (not permitted)");
  assert.equal((await scene.client.get(day.tasks.waiting)).status, "pending");
});

test("whoever opens a task from far down a list comes back to where it was", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/tasks");
  const list = page.getByTestId("task-list");
  await see(page, "task-row");
  await list.evaluate((element) => (element as unknown as { scrollTo(x: number, y: number): void }).scrollTo(0, 300));
  const row = page.locator("[data-testid=task-row][aria-posinset='16']");
  const id = await row.getAttribute("data-id");
  await row.getByRole("link").click();
  await see(page, "task-id", id ?? "");
  await page.goBack();
  await page.locator(`[data-testid=task-row][data-id="${id}"]`).waitFor();
  const top = () => list.evaluate((element) => (element as unknown as { scrollTop: number }).scrollTop);
  await until("it is scrolled as it was", async () => (await top()) === 300);
  await page.getByRole("link", { name: "Tasks", exact: true }).click();
  await page.getByRole("link", { name: "Audit" }).click();
  await see(page, "audit");
  await page.getByRole("link", { name: "Tasks", exact: true }).click();
  await see(page, "task-row");
  assert.equal(await top(), 0, "whoever goes there anew begins at the top");
});

async function ask(page: Page, query: string): Promise<void> {
  const bar = page.getByTestId("query-bar");
  await bar.fill(query);
  await bar.press("Enter");
}

async function pick(page: Page, label: string): Promise<void> {
  await page
    .getByTestId("query-option")
    .filter({ has: page.getByText(label, { exact: true }) })
    .click();
}

/** Exactly these, in whatever order. */
async function seeTasks(page: Page, ids: readonly string[]): Promise<void> {
  const wanted = ids.toSorted().join();
  let seen = "";
  await until(
    `the page shows ${wanted}`,
    async () => {
      const rows = await page.getByTestId("task-row").all();
      const shown = await Promise.all(
        rows.map((row) => row.getAttribute("data-id", { timeout: 1_000 }).catch(() => "")),
      );
      seen = shown.toSorted().join();
      return seen === wanted && (ids.length > 0 || (await page.getByTestId("empty").isVisible()));
    },
    15_000,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; it shows ${seen}`);
  });
}

function caret(page: Page): Promise<number | null> {
  return page.getByTestId("query-bar").evaluate((bar) => (bar as unknown as { selectionStart: number }).selectionStart);
}
