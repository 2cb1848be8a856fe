import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { axe } from "./axe.ts";
import { changeLook, faultsOf, openPage, withBrowser } from "./browser.ts";
import { assertFits } from "./fit.ts";
import { assertHarmless, hostileTextNames, hostileTexts } from "./hostile.ts";
import { site } from "./site.ts";

test("whatever a page complains of is heard, each in its own place", withBrowser, async (t) => {
  const complaints: Readonly<Record<string, RegExp>> = {
    "console.error('out of paper')": /^console: out of paper/,
    "setTimeout(() => { throw new Error('no such drawer') })": /^page: Error: no such drawer/,
    "Promise.reject(new Error('nobody waits for it'))": /^page: Error: nobody waits for it/,
    "fetch('/nowhere')": /^response: 404 GET .*\/nowhere$/,
    "fetch('/torn').catch(() => {})": /^request: net::ERR_EMPTY_RESPONSE GET .*\/torn$/,
    "fetch('http://elsewhere.invalid/').catch(() => {})": /^policy: connect-src refuses http:\/\/elsewhere\.invalid/,
    "document.body.innerHTML = '<img src=x onerror=alert(1)>'": /^policy: script-src-attr refuses inline/,
    "document.body.append(Object.assign(document.createElement('script'), { text: '1' }))":
      /^policy: script-src-elem refuses inline/,
    "alert('look here')": /^dialog: alert look here/,
    "new WebSocket('ws://' + location.host + '/nobody')": /^socket: /,
  };
  for (const [code, pattern] of Object.entries(complaints)) {
    const page = await openPage(t, { url: await site(t, code) });
    const faults = faultsOf(page);
    await page.goto("/");
    await until(`${code} is heard`, () => faults.list.some((fault) => pattern.test(fault))).catch((error) => {
      throw new Error(`${error.message}, but ${faults.list.join("; ") || "nothing"}`);
    });
    assert.throws(() => faults.check(), /The page complained/);
    faults.expect(/./);
  }
});

test("a page asks nobody but its own server", withBrowser, async (t) => {
  const other = await site(t, "");
  const askIt = `fetch("${other}/script.js", { mode: "no-cors" }).then(() => document.title = "answered")`;
  const page = await openPage(t, { url: await site(t, askIt, "") });
  await page.goto("/");
  await page.waitForFunction("document.title === 'answered'");
  faultsOf(page).expect(/^request: to another server: GET http:\/\/127\.0\.0\.1:\d+\/script\.js$/);
});

test("what was expected has to come", withBrowser, async (t) => {
  const page = await openPage(t, { url: await site(t, "fetch('/nowhere')") });
  const faults = faultsOf(page);
  faults.expect(/404 GET .*nowhere/);
  assert.throws(() => faults.check(), /expected and did not come/);
  await page.goto("/");
  await until("it came", () => faults.list.length > 0);
  faults.check();
});

test("a request that the page gives up itself is no fault", withBrowser, async (t) => {
  const giveUp =
    "const c = new AbortController(); fetch('/slow', { signal: c.signal }).catch(() => document.title = 'x'); c.abort()";
  const page = await openPage(t, { url: await site(t, giveUp) });
  await page.goto("/");
  await page.waitForFunction("document.title === 'x'");
});

test("a page that some people cannot use does not pass", withBrowser, async (t) => {
  const page = await openPage(t, { url: await site(t, "document.body.innerHTML = '<button></button>'") });
  await page.goto("/");
  await assert.rejects(axe(page), /button-name \(critical\).*\n\s+button: /);
  const fine = await openPage(t, { url: await site(t, "document.body.innerHTML = '<main><h1>Fine</h1></main>'") });
  await fine.goto("/");
  await axe(fine);
});

test("a page that is wider than a phone does not pass for one", withBrowser, async (t) => {
  const wide = "document.body.append(Object.assign(document.createElement('hr'), { id: 'rule', width: 600 }))";
  const page = await openPage(t, { url: await site(t, wide), size: "phone" });
  await page.goto("/");
  await assert.rejects(assertFits(page), /wider than its window: hr#rule to 6\d\d/);
  await changeLook(page, { size: "desktop" });
  await assertFits(page);
});

test("words that became a part of the page are found, and those that stayed words are not", withBrowser, async (t) => {
  const words = JSON.stringify(hostileTextNames.map((name) => hostileTexts[name]));
  const shown = await openPage(t, { url: await site(t, `document.body.append(...${words})`) });
  await shown.goto("/");
  await assertHarmless(shown);
  for (const name of ["image", "attribute", "frame"] as const) {
    const code = `document.body.innerHTML = ${JSON.stringify(hostileTexts[name])}`;
    const believed = await openPage(t, { url: await site(t, code) });
    await believed.goto("/");
    await assert.rejects(assertHarmless(believed), /words became parts of the page/, name);
    faultsOf(believed).expect(/^(policy|console|response)/);
  }
  const unguarded = await openPage(t, {
    url: await site(t, `document.body.innerHTML = ${JSON.stringify(hostileTexts.image)}`, ""),
  });
  await unguarded.goto("/");
  faultsOf(unguarded).expect(/^response: 404 GET .*\/x$/);
  await assert.rejects(assertHarmless(unguarded), /a payload has run/);
});
