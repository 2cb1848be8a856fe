import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { faultsOf, sizes, withBrowser } from "./browser.ts";
import { type UiScene, uiScene } from "./scene.ts";
import { enter, see, seeNo, seeWords } from "./see.ts";

const job = "studio:modifiers:Rotate";

let scene: UiScene;
before(async () => {
  scene = await uiScene();
  await scene.hire();
});

test("a job is run by the form of its schema, and its task is followed to the end", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", `/jobs/${encodeURIComponent(job)}/run`);
  const form = await see(page, "run-form");
  await form.getByLabel("Picture").fill("cat.png");
  await form.getByLabel("Angle").fill("45");
  await form.getByLabel("Mode").selectOption({ label: "fast" });
  await seePayload(page, { picture: "cat.png", angle: 45, mode: "fast" });
  await seeWords(page, "The server would accept it");
  await page.getByTestId("submit").click();

  await page.waitForURL(/\/ui\/tasks\/[0-9a-f-]{36}$/);
  await see(page, "task", "completed");
  await see(page, "task", "cat.png@45");
  const task = await scene.client.get(page.url().slice(-36));
  assert.equal(task.status, "completed");
  assert.deepEqual((task.result as { picture: string }).picture, "cat.png@45");
});

test("what the server would refuse stands beside its field before anything is sent", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", `/jobs/${encodeURIComponent(job)}/run`);
  const form = await see(page, "run-form");
  await form.getByLabel("Picture").fill("cat.png");
  await form.getByLabel("Angle").fill("720");
  await see(page, "run-form", /360/);
  await form.getByLabel("Angle").fill("72");
  await seeNo(page, "run-form", /360/);
});

test("what is missing is said once, when somebody wants to run it without", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", `/jobs/${encodeURIComponent(job)}/run`);
  faultsOf(page).expect(/^response: 422 POST .*Rotate$/);
  const form = await see(page, "run-form");
  await see(page, "verdict", "Not complete yet");
  assert.equal(await page.getByText("is required").count(), 0);
  await page.getByTestId("submit").click();
  await form.getByText("is required").waitFor();
  await see(page, "verdict", "The server would refuse it");
  assert.equal(await page.getByText("is required").count(), 1);
  assert.equal(await page.getByText("The server refused").count(), 0);
  await form.getByLabel("Picture").fill("cat.png");
  await see(page, "verdict", "The server would accept it");
});

test("on a phone the way to run a job is in sight, however long its form is", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", `/jobs/${encodeURIComponent(job)}/run`, { size: "phone" });
  await see(page, "run-form");
  const { y, height } = (await page.getByTestId("submit").boundingBox()) ?? { y: Number.NaN, height: 0 };
  assert.ok(y + height <= sizes.phone.height, `its end is at ${y + height}`);
});

test("form and JSON are two sides of one payload", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", `/jobs/${encodeURIComponent(job)}/run`);
  const form = await see(page, "run-form");
  const raw = page.getByTestId("raw-payload");
  await raw.fill('{"picture": "dog.png", "angle": 10, "tags": ["a", "b"]}');
  await form.locator("input[value='dog.png']").waitFor();
  assert.equal(await form.getByLabel("Angle").inputValue(), "10");
  await form.getByLabel("Angle").fill("11");
  await seePayload(page, { picture: "dog.png", angle: 11, tags: ["a", "b"] });

  await raw.fill('{"picture": ');
  await page.getByTestId("submit").and(page.locator(":disabled")).waitFor();
  await page.locator("[data-testid=raw-payload][aria-invalid=true]").waitFor();
  await raw.fill('{"picture": "dog.png", "angle": 12}');
  await page.getByTestId("submit").and(page.locator(":enabled")).click();
  await see(page, "task", "dog.png@12");
});

test("a task is edited and run again as a new one", withBrowser, async (t) => {
  const first = await scene.client.submit(job, { picture: "owl.png", angle: 30 }, { room: "studio" });
  await scene.client.wait(first.id, { timeoutMs: 10_000 });
  const page = await enter(t, scene, "user", `/tasks/${first.id}`);
  await page.getByTestId("task-menu").click();
  await page.getByRole("menuitem", { name: "Edit and run again" }).click();
  const form = await see(page, "run-form");
  assert.equal(await form.getByLabel("Picture").inputValue(), "owl.png");
  await form.getByLabel("Angle").fill("60");
  await page.getByTestId("submit").click();
  await see(page, "task", "owl.png@60");
  assert.notEqual(page.url().slice(-36), first.id);
  assert.deepEqual((await scene.client.get(first.id)).payload, { picture: "owl.png", angle: 30 });
});

/** The JSON beside the form says at least this. */
async function seePayload(page: Page, payload: Readonly<Record<string, unknown>>): Promise<void> {
  const said = Object.entries(payload).map(([key, value]) => [key, JSON.stringify(value)]);
  await page.waitForFunction<boolean, string>((wanted) => {
    const raw = (globalThis as unknown as { document: { querySelector(text: string): { value: string } } }).document;
    const now = JSON.parse(raw.querySelector("[data-testid=raw-payload]").value || "{}");
    return (JSON.parse(wanted) as [string, string][]).every(([key, text]) => JSON.stringify(now[key]) === text);
  }, JSON.stringify(said));
}
