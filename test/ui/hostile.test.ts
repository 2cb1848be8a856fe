import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { changeLook, openPage, withBrowser } from "./browser.ts";
import { assertFits } from "./fit.ts";
import { assertHarmless, type HostileText, hostileTextNames } from "./hostile.ts";
import { loaded } from "./look-at.ts";
import { logIn, type UiScene, uiScene } from "./scene.ts";
import { layTraps, type Traps } from "./traps.ts";

let scene: UiScene;
let traps: Traps;
before(async () => {
  if (withBrowser.skip !== false) return;
  scene = await uiScene();
  traps = await layTraps(scene);
});

/** Far more than it takes, but on a machine that is very busy: a page that hangs over a megabyte takes longer still. */
const quickMs = 8_000;

async function lookAt(page: Page, path: string, shows: string): Promise<void> {
  const began = performance.now();
  await page.goto(`/ui${path}`);
  await page.getByTestId(shows).first().waitFor();
  await loaded(page);
  for (const size of ["phone", "desktop"] as const) {
    await changeLook(page, { size });
    await assertHarmless(page);
    await assertFits(page);
  }
  assertQuick(page, began);
}

/** Whoever presses a key is heard: the page has time for people. */
async function assertAnswers(page: Page): Promise<void> {
  const began = performance.now();
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assertQuick(page, began);
}

function assertQuick(page: Page, began: number): void {
  const took = Math.round(performance.now() - began);
  assert.ok(took < quickMs, `${page.url()} took ${took} ms`);
}

const lists: Readonly<Record<string, readonly [path: string, shows: string]>> = {
  pulse: ["/", "pulse-throughput"],
  tasks: ["/tasks", "task-row"],
  "failed tasks": ["/tasks?q=state:failed", "task-row"],
  jobs: ["/jobs", "job-list"],
  fleet: ["/fleet", "worker-tile"],
  "fleet by a label": ["/fleet?by=label:site", "worker-tile"],
  failures: ["/failures", "failure-row"],
  providers: ["/providers", "provider-list"],
  audit: ["/audit", "audit-list"],
  health: ["/health", "node-list"],
  admin: ["/admin", "token-list"],
};

for (const [name, [path, shows]] of Object.entries(lists)) {
  test(`hostile words are words on ${name}`, withBrowser, async (t) => {
    const page = await openPage(t, { url: scene.url });
    await logIn(page, scene.tokens.admin);
    await lookAt(page, path, shows);
    await assertAnswers(page);
  });
}

/** Each kind of page with each of the words. */
const details: Readonly<Record<string, readonly [path: (of: Traps, name: HostileText) => string, shows: string]>> = {
  "a failed task": [({ failed }, name) => `/tasks/${failed[name]}`, "task-error"],
  "a job": [({ jobs }, name) => `/jobs/${encodeURIComponent(jobs[name])}`, "job"],
  "the form of a job": [({ jobs }, name) => `/jobs/${encodeURIComponent(jobs[name])}/run`, "run-form"],
  "a worker": [({ workers }, name) => `/fleet/${workers[name]}`, "worker"],
};

for (const [name, [pathOf, shows]] of Object.entries(details)) {
  test(`hostile words are words on ${name}`, withBrowser, async (t) => {
    const page = await openPage(t, { url: scene.url });
    await logIn(page, scene.tokens.admin);
    for (const word of hostileTextNames) await lookAt(page, pathOf(traps, word), shows);
  });
}

test("a task with a hostile payload is shown, and can be left", withBrowser, async (t) => {
  const page = await openPage(t, { url: scene.url });
  await logIn(page, scene.tokens.admin);
  for (const id of [...Object.values(traps.completed), traps.hugeError]) {
    await lookAt(page, `/tasks/${id}`, "task");
    await assertAnswers(page);
  }
});

test("a hostile payload can be edited and run again", withBrowser, async (t) => {
  const page = await openPage(t, { url: scene.url });
  await logIn(page, scene.tokens.admin);
  const job = encodeURIComponent("@global:modifiers:Trap");
  for (const id of Object.values(traps.completed)) {
    await lookAt(page, `/jobs/${job}/run?from=${id}`, "raw-payload");
    await assertAnswers(page);
  }
});

test("the longest name there may be fits everywhere", withBrowser, async (t) => {
  const page = await openPage(t, { url: scene.url });
  await logIn(page, scene.tokens.admin);
  await lookAt(page, `/jobs/${encodeURIComponent(traps.longestJob)}`, "job");
  await lookAt(page, `/tasks?q=${encodeURIComponent(`job:"${traps.longestJob}"`)}`, "tasks");
});
