import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
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

/** What a page shows is asked for by this, each in a line of its own. */
for (const [testId, path, asks] of [
  ["pulse", () => "/?window=6h", [/\/pulse\?window=6h/, /\/alerts\?limit=6/]],
  ["tasks", () => `/tasks?q=${encodeURIComponent(`error~"it's" state:failed`)}`, [/\/tasks\?q=error/]],
  ["task", () => `/tasks/${day.tasks.album}`, [/\/tasks\/[0-9a-f-]{36}/]],
  ["jobs", () => "/jobs?window=7d&text=rot", [/\/jobs\?.*find=rot/, /\/jobs\/statistics\?window=7d.*find=rot/]],
  ["job", () => `/jobs/${job}`, [/\/jobs\//]],
  ["fleet", () => "/fleet?state=online&find=press+site%3Dnorth", [/state=ONLINE&label=site%3Dnorth/]],
  ["fleet", () => "/fleet?state=paused", [/\/workers\?limit=500'$/]],
  ["worker", () => `/fleet/${day.workers.north.id}`, [/\/workers\//]],
  ["failures", () => "/failures", [/\/failures/]],
  ["providers", () => "/providers", [/\/providers/]],
  ["audit", () => "/audit?actor=ada", [/actor=ada/]],
  ["health", () => "/health", [/\/system/, /\/nodes/]],
  ["admin", () => "/admin", [/\/tokens/]],
] as const) {
  test(`the page ${testId} is copied for a terminal, which has the answers to ${asks}`, withBrowser, async (t) => {
    const page = await enter(t, scene, "admin", path());
    await see(page, testId);
    const commands = await copied(page);
    assert.equal(commands.length, asks.length, commands.join("\n"));
    for (const [at, asked] of asks.entries()) {
      assert.match(commands[at] ?? "", asked);
      assert.equal((await typed(commands[at] ?? "")).status, 200, commands[at]);
    }
  });
}

test("the page to run a job is copied with what was filled in, and the command submits it", withBrowser, async (t) => {
  const page = await enter(t, scene, "admin", `/jobs/${job}/run`);
  await (await see(page, "raw-payload")).fill(`{"id": 12345678901234567890, "who": "it's me"}`);
  await page.getByLabel("Priority").fill("3");
  const [command = ""] = await copied(page);
  const { status, body } = await typed(command);
  assert.equal(status, 202, command);
  const task = await scene.client.get((body as { readonly id: string }).id);
  assert.equal(task.priority, 3);
  assert.equal((task.payload as { readonly who: string }).who, "it's me");
  assert.match(command, /12345678901234567890/);
});

/** One for each line. */
async function copied(page: Page): Promise<readonly string[]> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByTestId("copy-curl").click();
  await see(page, "copy-curl", "Copied");
  const text = await page.evaluate<string>("navigator.clipboard.readText()");
  assert.ok(!text.includes(scene.tokens.admin), "the token stays where it is");
  return text.split("\n");
}

async function typed(command: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const env = { PATH: process.env["PATH"], LEADHAND_TOKEN: scene.tokens.admin };
  const { stdout } = await run("bash", ["-c", `${command} -w '\\n%{http_code}'`], { env, maxBuffer: 16_000_000 });
  const end = stdout.lastIndexOf("\n");
  return { status: Number(stdout.slice(end + 1)), body: JSON.parse(stdout.slice(0, end)) };
}
