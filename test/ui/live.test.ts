import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Request } from "playwright-core";
import { until } from "../../src/testing/until.ts";
import { withBrowser } from "./browser.ts";
import { aDay, type Day } from "./day.ts";
import { type UiScene, uiScene } from "./scene.ts";
import { enter, see } from "./see.ts";

let scene: UiScene;
let day: Day;
before(async () => {
  scene = await uiScene();
  day = await aDay(scene);
});

/** More than the longest pause between two looks of a page at what it is not told of. */
const idleMs = 16_000;

test("new tasks come in by themselves, and change before one's eyes", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/tasks?q=job:*Hold*");
  const { id } = await scene.client.submit("studio:selections:Hold", {}, { room: "studio", labels: { site: "north" } });
  await page.locator(`[data-testid=task-row][data-id="${id}"][data-state=running]`).waitFor();
  await scene.client.cancel(id);
  await page.locator(`[data-testid=task-row][data-id="${id}"][data-state=cancelled]`).waitFor();
});

test("a pulse beats as tasks end", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/");
  const shown = await see(page, "pulse");
  const before = await shown.textContent();
  await Promise.all([1, 2, 3].map((nth) => rotated(`beat-${nth}.png`)));
  await until("the figures are others", async () => (await shown.textContent()) !== before, 15_000);
});

test("answers that take longer than things take to happen come all the same", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/audit");
  const ends = { answered: 0, givenUp: 0 };
  const isPulse = (request: Request) => request.url().includes("/v1/pulse");
  page.on("requestfinished", (request) => {
    if (isPulse(request)) ends.answered += 1;
  });
  page.on("requestfailed", (request) => {
    if (isPulse(request)) ends.givenUp += 1;
  });
  await page.route("**/v1/pulse*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await route.continue();
  });
  // Named, so that it is one question that is asked again: a young server is soon asked for less than an hour.
  await page.goto("/ui/?window=1h");
  await see(page, "pulse-throughput");
  let nth = 0;
  await until(
    "it was answered three times while things happened",
    async () => {
      nth += 1;
      await rotated(`slow-${nth}.png`);
      return ends.answered >= 3;
    },
    30_000,
  );
  assert.equal(ends.givenUp, 0);
});

test("a page that was turned away for the moment is live again by itself", withBrowser, async (t) => {
  const page = await enter(t, scene, "viewer", "/audit");
  const open = { sid: "nobody", upgrades: [], pingInterval: 25_000, pingTimeout: 20_000, maxPayload: 1_000_000 };
  let turnedAway = 0;
  await page.routeWebSocket(/socket\.io/, (socket) => {
    if (turnedAway > 0) return void socket.connectToServer();
    socket.onMessage((message) => {
      if (!String(message).startsWith("40")) return;
      turnedAway += 1;
      socket.send(`44${JSON.stringify({ message: "Too many requests" })}`);
    });
    socket.send(`0${JSON.stringify(open)}`);
  });
  await page.goto("/ui/");
  await see(page, "live", "Out of reach");
  await see(page, "live", "Live");
  assert.equal(turnedAway, 1);
});

for (const [where, path] of [
  ["the list of tasks", () => "/tasks"],
  ["a task at work", () => `/tasks/${day.tasks.scanning}`],
  ["the fleet", () => "/fleet"],
  ["the pulse", () => "/"],
] as const) {
  test(`${where} stands still while paused, counts what it misses, and goes on`, withBrowser, async (t) => {
    const page = await enter(t, scene, "viewer", "/audit");
    await page.clock.install();
    const asked = new Set<string>();
    const open = new Set<Request>();
    page.on("request", (request) => asked.add(request.url()) && open.add(request));
    page.on("requestfinished", (request) => open.delete(request));
    page.on("requestfailed", (request) => open.delete(request));
    await page.goto(`/ui${path()}`);
    await see(page, "live", "Live");
    await page.getByTestId("live").click();
    await see(page, "live", "Paused");
    await until("what it asked before is answered", () => open.size === 0, 15_000);
    const main = page.locator("main");
    const shown = await main.evaluate(withoutTimes);
    asked.clear();

    await Promise.all([1, 2, 3].map((nth) => rotated(`missed-${nth}.png`)));
    await see(page, "live", /Paused\s*\d+ changes/);
    await page.clock.fastForward(idleMs);
    await see(page, "live", "Paused");
    assert.deepEqual([...asked], []);
    assert.equal(await main.evaluate(withoutTimes), shown);

    await page.getByTestId("live").click();
    await see(page, "live", "Live");
    await until("it asks for what it missed", () => asked.size > 0);
  });
}

/** Runs in the page. What it shows, but for how long ago things were: time goes on. */
function withoutTimes(main: unknown): string {
  type Element = { cloneNode(deep: true): Element; querySelectorAll(text: string): Iterable<Element>; remove(): void };
  const copy = (main as Element).cloneNode(true) as Element & { textContent: string };
  for (const time of copy.querySelectorAll("time, [title=Running], [title=Waiting]")) time.remove();
  return copy.textContent.replaceAll(/\d[\d.]* (ms|s|min|h)/g, "");
}

async function rotated(picture: string): Promise<string> {
  const { id } = await scene.client.submit("studio:modifiers:Rotate", { picture, angle: 1 }, { room: "studio" });
  return (await scene.client.wait(id, { timeoutMs: 15_000 })).id;
}
