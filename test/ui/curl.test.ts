import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { until } from "../../src/testing/until.ts";
import { openPage, withBrowser } from "./browser.ts";
import { aDay, type Day } from "./day.ts";
import { logIn, type UiScene, uiScene } from "./scene.ts";
import { enter, see } from "./see.ts";

let scene: UiScene;
let day: Day;
before(async () => {
  scene = await uiScene();
  day = await aDay(scene);
  await scene.as("user").ask("PUT", "/rooms/studio/jobs", { category: "modifiers", name });
});

test("a page that came over plain HTTP from another machine is copied all the same", withBrowser, async (t) => {
  const page = await openPage(t, { url: scene.url });
  // Browsers have no clipboard for scripts there.
  await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await logIn(page, scene.tokens.viewer);
  await page.goto("/ui/tasks");
  await see(page, "task-row");
  await page.getByTestId("copy-curl").click();
  await see(page, "copy-curl", "Copied");
  const bar = page.getByTestId("query-bar");
  await bar.click();
  await page.keyboard.press("ControlOrMeta+v");
  await until("it was copied", async () => (await bar.inputValue()).startsWith("curl -sS"));
});

const run = promisify(execFile);
/** A name that a shell would stumble over. */
const name = "It's $HOME";
const job = encodeURIComponent(`studio:modifiers:${name}`);

for (const [testId, path] of [
  ["pulse", () => "/?window=1h"],
  ["tasks", () => `/tasks?q=${encodeURIComponent(`error~"it's" state:failed`)}`],
  ["task", () => `/tasks/${day.tasks.album}`],
  ["jobs", () => "/jobs"],
  ["job", () => `/jobs/${job}`],
  ["run-page", () => `/jobs/${job}/run`],
  ["fleet", () => "/fleet"],
  ["worker", () => `/fleet/${day.workers.north.id}`],
  ["failures", () => "/failures"],
  ["providers", () => "/providers"],
  ["audit", () => "/audit?actor=ada"],
  ["health", () => "/health"],
  ["admin", () => "/admin"],
] as const) {
  test(`the page ${testId} can be copied as a command for a terminal, which has its answer`, withBrowser, async (t) => {
    const page = await enter(t, scene, "admin", path());
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await see(page, testId);
    await page.getByTestId("copy-curl").click();
    await see(page, "copy-curl", "Copied");
    const command = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.ok(!command.includes(scene.tokens.admin), "the token stays where it is");
    const env = { PATH: process.env["PATH"], LEADHAND_TOKEN: scene.tokens.admin };
    const { stdout } = await run("bash", ["-c", `${command} -w '\\n%{http_code}'`], { env, maxBuffer: 16_000_000 });
    const [status, ...lines] = stdout.split("\n").reverse();
    assert.equal(status, "200", `${command}\n${lines.join("\n").slice(0, 500)}`);
    assert.equal(typeof JSON.parse(lines.reverse().join("\n")), "object");
  });
}
