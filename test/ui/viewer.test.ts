import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { openPage, withBrowser } from "./browser.ts";
import { aDay, type Day } from "./day.ts";
import { logIn, type UiScene, uiScene } from "./scene.ts";
import { enter, see } from "./see.ts";

let scene: UiScene;
let day: Day;
before(async () => {
  scene = await uiScene();
  day = await aDay(scene);
});

const acts =
  /^(run|retry|cancel|pause|resume|drain|resize|act on|take away|more acts|new token|revoke|delete)\b(?! now)/i;

test("a viewer sees every page and no button that acts; whoever may act sees some on each", withBrowser, async (t) => {
  const job = encodeURIComponent("studio:modifiers:Rotate");
  const places: readonly (readonly [path: string, testId: string])[] = [
    ["/tasks", "task-row"],
    [`/tasks/${day.tasks.scanning}`, "progress"],
    [`/tasks/${day.tasks.failed.broken[0]}`, "task-error"],
    ["/jobs", "job-list"],
    [`/jobs/${job}`, "job"],
    ["/fleet", "worker-tile"],
    [`/fleet/${day.workers.north.id}`, "beat-strip"],
    ["/failures", "failure-row"],
  ];
  const viewer = await enter(t, scene, "viewer", "/audit");
  const admin = await enter(t, scene, "admin", "/audit");
  for (const [path, testId] of places) {
    await admin.goto(`/ui${path}`);
    await see(admin, testId);
    assert.notDeepEqual(await offered(admin), [], `an admin can do nothing at ${path}`);
    await viewer.goto(`/ui${path}`);
    await see(viewer, testId);
    assert.deepEqual(await offered(viewer), [], `a viewer is offered something at ${path}`);
  }
  assert.equal(await viewer.getByRole("link", { name: "Admin" }).count(), 0);
  await viewer.goto(`/ui/jobs/${job}/run`);
  await see(viewer, "empty", "Your token may look");
});

test("whoever owns nothing is offered nothing of others; whoever owns the workers is", withBrowser, async (t) => {
  const nora = await openPage(t, { url: scene.url });
  await logIn(nora, await scene.token("--user", "nora"));
  const ada = await enter(t, scene, "user", "/audit");
  const mayRun = ["Retry", "More acts"];
  const places: readonly (readonly [path: string, testId: string, others: readonly string[], own: RegExp])[] = [
    ["/fleet", "worker-tile", [], /^Act on press-north$/],
    [`/fleet/${day.workers.south.id}`, "worker-tasks", [], /^Take away$/],
    [`/tasks/${day.tasks.scanning}`, "progress", ["More acts"], /^Cancel$/],
    [`/tasks/${day.tasks.waiting}`, "explain", ["More acts"], /^More acts$/],
    [`/tasks/${day.tasks.failed.broken[0]}`, "task-error", mayRun, /^Retry$/],
  ];
  for (const [path, testId, others, own] of places) {
    await nora.goto(`/ui${path}`);
    await see(nora, testId);
    assert.deepEqual(await offered(nora), others, `what is another's is offered at ${path}`);
    await ada.goto(`/ui${path}`);
    await see(ada, testId);
    assert.ok(
      (await offered(ada)).some((name) => own.test(name)),
      `the owner is not offered ${own} at ${path}: ${await offered(ada)}`,
    );
  }
  await nora.getByTestId("task-menu").click();
  assert.equal(await nora.getByRole("menuitem", { name: "Delete" }).count(), 0);
  assert.ok((await nora.getByRole("menuitem").count()) > 0, "the menu is open");
});

test("what a viewer's page does not offer, the server refuses it too", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/audit");
  const { csrf } = await (await page.context().request.get("/v1/session")).json();
  const task = day.tasks.waiting;
  const refused = [
    ["POST", `/tasks/${task}/cancel`, {}],
    ["POST", `/tasks/${day.tasks.cancelled}/retry`, {}],
    ["POST", "/rooms/studio/tasks/studio:modifiers:Rotate", { payload: { picture: "a", angle: 1 } }],
    ["POST", `/workers/${day.workers.north.id}/drain`, {}],
    ["POST", "/tokens", { user: "eve", role: "admin" }],
  ] as const;
  for (const [method, path, data] of refused) {
    const headers = { "x-leadhand-csrf": csrf, origin: scene.url };
    const answer = await page.context().request.fetch(`/v1${path}`, { method, data, headers });
    assert.equal(answer.status(), 403, `${method} ${path}: ${await answer.text()}`);
  }
  assert.equal((await scene.client.get(task)).status, "pending");
});

/** The names of what can be pressed and does something to the world. */
async function offered(page: Page): Promise<readonly string[]> {
  const names = await page
    .getByTestId(/./)
    .and(page.locator("main"))
    .evaluate((main) => {
      type Element = { textContent: string; getAttribute(name: string): string | null };
      const all = (main as unknown as { querySelectorAll(text: string): Iterable<Element> }).querySelectorAll(
        "button, a",
      );
      return [...all].map((one) => (one.getAttribute("aria-label") ?? one.textContent).trim());
    });
  return names.filter((name) => acts.test(name));
}
