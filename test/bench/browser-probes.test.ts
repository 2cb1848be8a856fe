// What measures the dashboard, put to pages of which the right answer is known.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { type BenchBrowser, openBrowser, type Session } from "../../bench/ui/browser.ts";
import { askLive, askRows, login, queryBar, shownAt } from "../../bench/ui/dashboard.ts";
import { heapOf } from "../../bench/ui/heap.ts";
import type { QuietPage } from "../../bench/ui/quiet-page.ts";
import { environmentVariable } from "../../src/server/config.ts";

const program = environmentVariable("LEADHAND_TEST_CHROMIUM");
const withBrowser = { skip: program === undefined && "LEADHAND_TEST_CHROMIUM is not set" };

let browser: BenchBrowser;
before(async () => {
  if (program !== undefined) browser = await openBrowser();
});
after(() => browser?.close());

const list = `
  <input data-testid="query-bar">
  <div data-testid="task-list"></div>
  <script>
    const list = document.querySelector("[data-testid=task-list]");
    const show = (...ids) => {
      list.innerHTML = ids.map((id) => '<p data-testid="task-row" data-task-id="' + id + '">task ' + id + "</p>").join("");
    };
  </script>`;

async function site(t: TestContext, html: string): Promise<{ readonly origin: string; readonly session: Session }> {
  const server = createServer((request, response) => {
    if (request.method === "POST") response.setHeader("set-cookie", "session=1; HttpOnly; Path=/").end("{}");
    else response.setHeader("content-type", "text/html").end(request.headers.cookie === "session=1" ? html : "who?");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin, session: await login(await browser.window(null), origin, "secret") };
}

async function openQuiet(t: TestContext, html: string): Promise<QuietPage> {
  const { origin, session } = await site(t, html);
  return browser.quiet(origin, session);
}

async function open(t: TestContext, html: string): Promise<Page> {
  const { origin, session } = await site(t, html);
  const window = await browser.window(session);
  t.after(() => window.close());
  const page = await window.newPage();
  await page.goto(origin);
  return page;
}

test("a page has been painted when its rows are there, not when its frame is", withBrowser, async (t) => {
  const page = await open(t, `${list}<h1>Tasks</h1><script>setTimeout(() => show("a", "b"), 400)</script>`);
  const ms = await shownAt(page);
  assert.ok(ms >= 400 && ms < 4_000, `${ms} ms`);
});

test("a figure has been painted when it is a number", withBrowser, async (t) => {
  const page = await open(
    t,
    `<b data-testid="pulse-throughput">…</b>
    <script>setTimeout(() => document.querySelector("b").textContent = "12 /s", 400)</script>`,
  );
  const ms = await shownAt(page);
  assert.ok(ms >= 400 && ms < 4_000, `${ms} ms`);
});

test("a query is answered when other rows are there, however often the old ones change", withBrowser, async (t) => {
  const page = await open(
    t,
    `${list}<script>
      show("a", "b");
      addEventListener("keydown", ({ key }) => {
        if (key !== "Enter") return;
        const ticking = setInterval(() => list.firstChild.append("."), 20);
        setTimeout(() => { clearInterval(ticking); show("c"); }, 300);
      });
    </script>`,
  );
  await page.locator(queryBar).focus();
  await askRows(page, "expectOthers(10000)");
  await page.keyboard.insertText("state:failed");
  await page.keyboard.press("Enter");
  const ms = await askRows(page, "replaced()");
  assert.ok(ms >= 300 && ms < 4_000, `${ms} ms`);
});

test("frames that come late are seen", withBrowser, async (t) => {
  const page = await open(
    t,
    `<script>setInterval(() => { const until = performance.now() + 120; while (performance.now() < until); }, 125)</script>`,
  );
  await askLive(page, "watchFrames()");
  await page.waitForFunction("performance.now() > 2000");
  const gaps = await askLive<number[]>(page, "frames()");
  assert.ok(gaps.filter((ms) => ms > 34).length > gaps.length / 4, gaps.join(" "));
});

test("what a page keeps is seen, be it objects, elements, texts or buffers", withBrowser, async (t) => {
  const page = await openQuiet(t, "<script>globalThis.kept = []</script>");
  const grownBy = (script: string): Promise<number> => growth(page, script);
  const objects = await grownBy("for (let n = 0; n < 1e5; n += 1) kept.push({ n, next: { n } })");
  const elements = await grownBy("for (let n = 0; n < 2e4; n += 1) kept.push(document.createElement('p'))");
  // As a page is told them: short texts that come from outside its scripts.
  const texts = await grownBy(`(async () => {
    for (let n = 0; n < 4_000; n += 1) kept.push(await new Blob([n + "x".repeat(1_000)]).text());
  })()`);
  const buffers = await grownBy("kept.push(new Uint8Array(4 * 2 ** 20).fill(1))");
  const nothing = await grownBy("for (let n = 0; n < 1e5; n += 1) ({ n })");
  assert.ok(objects > 2, `objects ${objects} MB`);
  assert.ok(elements > 1, `elements ${elements} MB`);
  assert.ok(texts > 3, `texts ${texts} MB`);
  assert.ok(buffers > 3.9 && buffers < 6, `buffers ${buffers} MB`);
  assert.ok(Math.abs(nothing) < 0.5, `nothing ${nothing} MB`);
});

test("what a page asks for and forgets is kept by nobody", withBrowser, async (t) => {
  const page = await openQuiet(t, "<title>Asks</title>");
  const ask = (times: number) => `(async () => {
    const one = async () => void (await (await fetch("/")).text());
    for (let n = 0; n < ${times}; n += 10) await Promise.all(Array.from({ length: 10 }, one));
  })()`;
  // The first ones fill what Chromium keeps of so many and no more.
  await page.evaluate(ask(3_000));
  const grown = await growth(page, ask(3_000));
  assert.ok(grown < 0.2, `${grown} MB`);
});

/** In MB, by what a script does. */
async function growth({ tools, evaluate }: QuietPage, script: string): Promise<number> {
  const { mb } = await heapOf(tools);
  await evaluate(script);
  return (await heapOf(tools)).mb - mb;
}
