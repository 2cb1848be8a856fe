// Another page in the same browser, which has the session's cookie for its own requests too where it is of the same site:
// ports make no difference to a cookie.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { faultsOf, openPage, withBrowser } from "./browser.ts";
import { logIn, type UiScene, uiScene } from "./scene.ts";
import { site } from "./site.ts";

let scene: UiScene;
before(async () => {
  scene = await uiScene();
  await scene.as("user").ask("PUT", "/rooms/lab/jobs", { category: "analysis", name: "Wait" });
});

const anything = "default-src * 'unsafe-inline'";

test("a foreign page of the same site has the cookie and can do nothing with it", withBrowser, async (t) => {
  const { page, task } = await visited(t, await site(t, "", anything));
  faultsOf(page).expect(/^response: 403 POST .*\/cancel$/);
  await page.evaluate<void>(sendBlindly(`${scene.url}/v1/tasks/${task}/cancel`));
  await page.evaluate<void>(sendForm(`${scene.url}/v1/tasks/${task}/cancel`));
  await page.waitForURL(/\/cancel$/);
  assert.match(await page.content(), /names another site than this server's/);
  assert.equal((await scene.client.get(task)).status, "pending");
});

test("a foreign page cannot listen to what happens", withBrowser, async (t) => {
  const { page } = await visited(t, await site(t, "", anything));
  const asked = listen(`${scene.url.replace("http", "ws")}/socket.io/`);
  assert.equal(await page.evaluate<string>(asked), "refused");
  await page.goto("/ui/fleet");
  assert.match(await page.evaluate<string>(asked), /^40/, "the dashboard can, with the same cookie");
});

test("a page of another site does not even have the cookie", withBrowser, async (t) => {
  const elsewhere = (await site(t, "", anything)).replace("127.0.0.1", "localhost");
  const { page, task } = await visited(t, elsewhere);
  faultsOf(page).expect(/^response: 401 POST .*\/cancel$/);
  await page.evaluate<void>(sendBlindly(`${scene.url}/v1/tasks/${task}/cancel`));
  assert.equal((await scene.client.get(task)).status, "pending");
});

/** Logged in at the dashboard, and led to another page. */
async function visited(t: Parameters<typeof openPage>[0], url: string): Promise<{ page: Page; task: string }> {
  const page = await openPage(t, { url: scene.url });
  faultsOf(page).expect(/^request: to another server/);
  await logIn(page, scene.tokens.user);
  const { id } = await scene.as("user").ask("POST", "/rooms/lab/tasks/lab:analysis:Wait", { payload: {} });
  await page.goto(url);
  return { page, task: id };
}

/** Runs in the page: what a browser lets any page send, with cookies, and without asking first. */
const sendBlindly = (url: string) => `fetch(${JSON.stringify(url)}, {
  method: "POST", mode: "no-cors", credentials: "include", body: "{}",
}).then(() => undefined)`;

const sendForm = (url: string) => `(() => {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: ${JSON.stringify(url)}, enctype: "text/plain" });
  document.body.append(form);
  form.submit();
})()`;

const listen = (url: string) => `new Promise((resolve) => {
  const socket = new WebSocket(${JSON.stringify(`${url}?EIO=4&transport=websocket`)});
  socket.onerror = () => resolve("refused");
  socket.onclose = () => resolve("refused");
  socket.onmessage = ({ data }) => {
    if (data.startsWith("0")) socket.send("40");
    else resolve(data.startsWith("44") ? "refused" : data);
  };
})`;
