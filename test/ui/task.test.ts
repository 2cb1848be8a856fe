import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Locator } from "playwright-core";
import { until } from "../../src/testing/until.ts";
import { withBrowser } from "./browser.ts";
import { type UiScene, uiScene } from "./scene.ts";
import { confirm, enter, see, seeNo } from "./see.ts";

const options = { room: "studio" };
const limit = { timeoutMs: 20_000 };

let scene: UiScene;
before(async () => {
  scene = await uiScene();
  await scene.hire();
});

test("progress and log of a task grow while one looks, until it is cancelled", withBrowser, async (t) => {
  const { id } = await scene.client.submit("studio:analysis:Scan", { steps: 10_000, stepMs: 100 }, options);
  const page = await enter(t, scene, "user", `/tasks/${id}`);
  await see(page, "task", "running");
  await grows(page.getByTestId("progress"), /(\d+) of 10,000/);
  const lines = page.getByTestId("log-line");
  await lines.first().waitFor();
  const seen = await lines.count();
  await until("the log has ten lines more", async () => (await lines.count()) >= seen + 10, 15_000);

  await page.getByTestId("cancel").click();
  await page.getByRole("button", { name: "Better not" }).click();
  await see(page, "task", "running");
  await page.getByTestId("cancel").click();
  await confirm(page);
  await see(page, "task", "cancelled");
  await see(page, "timeline", /cancel/i);
  await seeNo(page, "cancel");
  assert.equal((await scene.client.wait(id, limit)).status, "cancelled");
});

test("a failed task is retried as a new one, and both know of each other", withBrowser, async (t) => {
  const payload = { kind: "refused", nth: 7 };
  const { id } = await scene.client.submit("studio:analysis:Import", payload, options);
  await scene.client.wait(id, limit);
  const page = await enter(t, scene, "user", `/tasks/${id}`);
  await see(page, "task-error", 'There is no mailbox "box-7"');
  await page.getByTestId("retry").click();
  await page.waitForURL((url) => /\/ui\/tasks\/[0-9a-f-]{36}$/.test(url.pathname) && !url.pathname.endsWith(id));
  await see(page, "task-error", "box-7");
  const again = await scene.client.get(page.url().slice(-36));
  assert.deepEqual(again.payload, payload);
  assert.equal(again.retry_of, id);
  await page.getByTestId("task").locator(`a[href$="${id}"]`).first().click();
  await see(page, "task-id", id);
  await page.getByTestId("task").locator(`dd a[href$="${again.id}"]`).click();
  await see(page, "task-id", again.id);
  assert.equal(await page.getByText("Retried as").count(), 0);
});

test(
  "a task that went well is run again by whoever says so twice, and the question goes with its page",
  withBrowser,
  async (t) => {
    const { id } = await scene.client.submit("studio:modifiers:Rotate", { picture: "hare.png", angle: 5 }, options);
    await scene.client.wait(id, limit);
    const page = await enter(t, scene, "user", `/tasks?q=id:${id}`);
    await (await see(page, "task-row")).getByRole("link").click();
    await page.getByTestId("retry").click();
    const question = page.getByRole("dialog", { name: "Run it again?" });
    await question.waitFor();
    await page.goBack();
    await see(page, "task-row");
    await question.waitFor({ state: "detached" });
    await page.goForward();
    await page.getByTestId("retry").click();
    await confirm(page);
    await page.waitForURL((url) => /\/ui\/tasks\/[0-9a-f-]{36}$/.test(url.pathname) && !url.pathname.endsWith(id));
    const { items } = await scene.as("viewer").ask("GET", `/tasks?q=retry_of:${id}`);
    assert.deepEqual(
      items.map((task: { id: string }) => task.id),
      [page.url().slice(-36)],
    );
  },
);

test("a clone is the same again, with no tie to the first", withBrowser, async (t) => {
  const { id } = await scene.client.submit("studio:modifiers:Rotate", { picture: "elk.png", angle: 5 }, options);
  await scene.client.wait(id, limit);
  const page = await enter(t, scene, "user", `/tasks/${id}`);
  await page.getByTestId("task-menu").click();
  await page.getByRole("menuitem", { name: "Clone" }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(id));
  await see(page, "task", "completed");
  const clone = await scene.client.get(page.url().slice(-36));
  assert.deepEqual(clone.payload, { picture: "elk.png", angle: 5 });
  assert.equal(clone.retry_of, null);
});

test("a task that nobody may take says why, and runs before one's eyes when somebody comes", withBrowser, async (t) => {
  const wanted = { ...options, labels: { site: "west" } };
  const { id } = await scene.client.submit("studio:modifiers:Rotate", { picture: "fox.png", angle: 9 }, wanted);
  const page = await enter(t, scene, "viewer", `/tasks/${id}`);
  await see(page, "explain", /label/);
  const west = await scene.hire({ name: "press-west", labels: { site: "west" } });
  await see(page, "task", "fox.png@9");
  await seeNo(page, "explain");
  await see(page, "timeline", /complet/i);
  await west.stop();
});

test("the children of a task stand below it, each a way to its own page", withBrowser, async (t) => {
  const { id } = await scene.client.submit("studio:modifiers:Album", { pictures: 3 }, options);
  const page = await enter(t, scene, "viewer", `/tasks/${id}`);
  await see(page, "progress", "3 of 3");
  const children = page.getByTestId("child");
  await children.nth(2).waitFor();
  assert.equal(await children.count(), 3);
  await children.first().getByRole("link").first().click();
  await see(page, "task", /page-\d/);
});

/** The number in it becomes larger, twice. */
async function grows(part: Locator, number: RegExp): Promise<void> {
  let last = -1;
  for (const _ of [1, 2, 3]) {
    await until(
      "it goes on",
      async () => {
        const now = Number(number.exec((await part.textContent()) ?? "")?.[1] ?? -1);
        if (now <= last) return false;
        last = now;
        return true;
      },
      15_000,
    );
  }
}
