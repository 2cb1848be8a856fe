// No mouse at all: what is done here is done by keys, and what has the focus can be seen to have it.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../../src/testing/until.ts";
import { faultsOf, openPage, withBrowser } from "./browser.ts";
import { aDay, type Day } from "./day.ts";
import { type UiScene, uiScene } from "./scene.ts";
import { enter, see, seeNo } from "./see.ts";

let scene: UiScene;
let day: Day;
before(async () => {
  scene = await uiScene();
  day = await aDay(scene);
});

test("keys alone log in, find a task, open it and cancel it", withBrowser, async (t) => {
  const page = await openPage(t, { url: scene.url });
  faultsOf(page).expect(/^response: 401 GET .*\/v1\/session$/);
  const { keyboard } = page;
  await page.goto("/ui/");
  await see(page, "login");
  await keyboard.type(scene.tokens.admin);
  await keyboard.press("Enter");
  await see(page, "pulse");

  await press(page, "g", "t");
  await see(page, "task-row");
  await keyboard.press("/");
  await focused(page, "[data-testid=query-bar]");
  await keyboard.type("state:delayed");
  await keyboard.press("Enter");
  await see(page, "matching", "1 task");
  await page.locator(`[data-testid=task-row][data-id="${day.tasks.delayed}"]`).waitFor();
  await keyboard.press("Escape");
  await until("the bar has let go", async () => !(await has(page, "[data-testid=query-bar]")));
  await keyboard.press("j");
  await focused(page, "[data-testid=task-row] a");
  await seesFocus(page);
  await keyboard.press("Enter");
  await see(page, "task-id", day.tasks.delayed);

  await tabTo(page, "[data-testid=cancel]");
  await keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await tabTo(page, "[data-testid=confirm]");
  await seesFocus(page);
  await keyboard.press("Enter");
  await see(page, "task", "cancelled");
  assert.equal((await scene.client.get(day.tasks.delayed)).status, "cancelled");
});

test("j and k go down and up a list, and stop at its ends", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/tasks?q=state:failed");
  await page.getByTestId("task-row").nth(8).waitFor();
  const rows = await page.getByTestId("task-row").all();
  const ids = await Promise.all(rows.map((row) => row.getAttribute("data-id")));
  const at = () => page.evaluate<string | null>(`document.activeElement.closest("[data-id]")?.dataset.id ?? null`);
  await page.keyboard.press("j");
  assert.equal(await at(), ids[0]);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  assert.equal(await at(), ids[2]);
  for (const _ of ids) await page.keyboard.press("k");
  assert.equal(await at(), ids[0]);
});

for (const [path, rows, opened] of [
  ["/jobs", "[data-testid=job-list] tbody a", "job"],
  ["/failures", "[data-testid=failure-row] a", "tasks"],
  ["/audit", "[data-testid=audit-list] tbody a", "task"],
] as const) {
  test(`j and k walk the list of ${path}, and Enter opens what they are at`, withBrowser, async (t) => {
    const page = await enter(t, scene, "admin", path);
    await page.locator(rows).first().waitFor();
    await page.keyboard.press("j");
    await focused(page, rows);
    await seesFocus(page);
    await page.keyboard.press("k");
    assert.ok(await has(page, rows), "the first stays");
    await page.keyboard.press("Enter");
    await see(page, opened);
  });
}

test("j finds the providers, and Enter reads from one", withBrowser, async (t) => {
  const { id } = day.workers.north;
  await scene.as("user").ask("PUT", "/rooms/studio/providers", { category: "clocks", name: "wall", worker_id: id });
  const page = await enter(t, scene, "admin", "/providers");
  await see(page, "provider-list");
  await page.keyboard.press("j");
  await focused(page, "[data-testid=provider-list] button");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "studio:clocks:wall" }).waitFor();
});

test("Tab takes the first of what is suggested for a word, and leaves the bar after it", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/tasks");
  await page.keyboard.press("/");
  await focused(page, "[data-testid=query-bar]");
  const bar = page.getByTestId("query-bar");
  for (const [word, option, expected] of [
    ["sta", /^state:/, "state:"],
    ["fai", /^failed/, "state:failed "],
  ] as const) {
    await page.keyboard.type(word);
    // What it offered for less of the word may still be there.
    await see(page, "query-option", option);
    await page.keyboard.press("Tab");
    await until(`the bar says ${expected}`, async () => (await bar.inputValue()) === expected);
  }
  await see(page, "matching", "9 tasks");
  await page.keyboard.press("Tab");
  await until("the bar has let go", async () => !(await has(page, "[data-testid=query-bar]")));
  assert.equal((await bar.inputValue()).trim(), "state:failed");
});

test("every page has its keys, and the question mark tells them", withBrowser, async (t) => {
  const page = await enter(t, scene, "admin", "/audit");
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await help.waitFor();
  for (const words of ["Go to Tasks", "Go to Fleet", "Search tasks"]) await help.getByText(words).waitFor();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  for (const [key, testId] of [
    ["p", "pulse"],
    ["t", "tasks"],
    ["j", "jobs"],
    ["f", "fleet"],
    ["x", "failures"],
    ["r", "providers"],
    ["a", "audit"],
    ["h", "health"],
    ["d", "admin"],
  ] as const) {
    await press(page, "g", key);
    await see(page, testId);
  }
  await page.keyboard.press("/");
  await focused(page, "[data-testid=query-bar]");
});

test("a dialog keeps the focus to itself, and gives it back where it was", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", `/fleet/${day.workers.north.id}`);
  await see(page, "worker-pause");
  await tabTo(page, "[data-testid=worker-pause]");
  await seesFocus(page);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  for (let nth = 0; nth < 12; nth += 1) {
    await page.keyboard.press("Tab");
    await until("the focus is in the dialog", () => has(page, "[role=dialog] *, [role=dialog]"));
  }
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await focused(page, "[data-testid=worker-pause]");
  await seeNo(page, "worker-resume");
});

test("a page is walked through in the order it is read, from the way past the menu", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/audit");
  await see(page, "audit");
  await page.keyboard.press("Tab");
  await seesFocus(page);
  assert.equal(await page.evaluate("document.activeElement.textContent"), "Skip to the content");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.ok(await has(page, "main *"), "the next stop is in the content");
  await page.goto("/ui/audit");
  await see(page, "audit");
  const [first, ...stops] = await walk(page, 17);
  assert.equal(first, "Skip to the content");
  const menu = ["Pulse", "Tasks", "Jobs", "Fleet", "Failures", "Providers", "Audit", "Health"];
  assert.deepEqual(stops, [
    ...menu,
    "vera viewer",
    ...["Live", "Light or dark", "Keys"],
    ...["Copy as curl", "Who", "Act", "To what"],
  ]);
});

/** The names of what has the focus, one after another. */
async function walk(page: Page, steps: number): Promise<readonly string[]> {
  const names: string[] = [];
  for (let nth = 0; nth < steps; nth += 1) {
    await page.keyboard.press("Tab");
    names.push(
      await page.evaluate<string>(`(() => {
        const { labels, ariaLabel, textContent } = document.activeElement;
        return ariaLabel ?? labels?.[0]?.textContent ?? textContent;
      })()`),
    );
  }
  return names;
}

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** By as many tabs as it takes: forwards, for that is how one looks for something. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let nth = 0; nth < 60; nth += 1) {
    if (await has(page, selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Sixty tabs do not lead to ${selector}`);
}

function has(page: Page, selector: string): Promise<boolean> {
  return page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`);
}

async function focused(page: Page, selector: string): Promise<void> {
  await until(`${selector} has the focus`, () => has(page, selector));
}

/** It looks other than without the focus, to the eye: whatever its style says. */
async function seesFocus(page: Page): Promise<void> {
  const box = await page.evaluate<Readonly<Record<"x" | "y" | "width" | "height", number>>>(`(() => {
    const { x, y, width, height } = document.activeElement.getBoundingClientRect();
    return { x: Math.max(0, x - 6), y: Math.max(0, y - 6), width: width + 12, height: height + 12 };
  })()`);
  const look = () => page.screenshot({ clip: box, animations: "disabled", caret: "hide" });
  const within = await look();
  await page.evaluate("(globalThis.wasFocused = document.activeElement).blur()");
  const without = await look();
  await page.evaluate("globalThis.wasFocused.focus({ focusVisible: true })");
  assert.ok(!within.equals(without), "what has the focus looks as if it had not");
}
