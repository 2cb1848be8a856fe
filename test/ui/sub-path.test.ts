import assert from "node:assert/strict";
import { before, test } from "node:test";
import { faultsOf, openPage, withBrowser } from "./browser.ts";
import { type UiScene, uiScene, userName } from "./scene.ts";
import { see } from "./see.ts";
import { strippingProxy } from "./stripping-proxy.ts";

const prefix = "/tools/jobs";

let scene: UiScene;
let proxied: string;
before(async () => {
  scene = await uiScene({ settings: { LEADHAND_TRUSTED_PROXIES: "127.0.0.1" } });
  proxied = await strippingProxy(scene.url, prefix);
  await scene.hire();
});

test("below a path of a proxy all is as it is at home: links, live news, acts and cookie", withBrowser, async (t) => {
  const page = await openPage(t, { url: proxied });
  faultsOf(page).expect(/^response: 401 GET .*\/v1\/session$/);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("websocket", (socket) => asked.push(socket.url().replace(/^ws/, "http")));
  await page.goto(`${prefix}/`);
  await page.waitForURL(`${proxied}${prefix}/ui/`);
  await page.getByLabel("Token").fill(scene.tokens.user);
  await page.getByRole("button", { name: "Log in" }).click();
  await see(page, "who", userName);
  await see(page, "live", "Live");
  const [cookie] = await page.context().cookies();
  assert.equal(cookie?.path, `${prefix}/`);

  await page.getByRole("link", { name: "Fleet" }).click();
  await page.waitForURL(`${proxied}${prefix}/ui/fleet`);
  await (await see(page, "worker-tile", "press-1")).getByRole("link", { name: "press-1" }).click();
  await see(page, "worker", "press-1");
  const { id } = await scene.client.submit("studio:analysis:Scan", { steps: 10_000 }, { room: "studio" });
  await page.goto(`${prefix}/ui/tasks/${id}`);
  await see(page, "progress", /[1-9]\d* of 10,000/);
  await page.getByTestId("cancel").click();
  await page.getByTestId("confirm").click();
  await see(page, "task", "cancelled");

  assert.ok(asked.some((url) => url.includes("/socket.io/")));
  const strays = asked.filter((url) => !url.startsWith(`${proxied}${prefix}/`));
  assert.deepEqual(strays, []);
});

test("commands to be typed lead below the path too", withBrowser, async (t) => {
  const page = await openPage(t, { url: proxied });
  const { code } = await scene.as("user").ask("POST", "/session/codes");
  await page.goto(`${prefix}/ui/providers#code=${code}`);
  await see(page, "empty", `baseUrl: "${proxied}${prefix}"`);
});

test("a page below a path that is opened from a link and reloaded is the same page", withBrowser, async (t) => {
  const page = await openPage(t, { url: proxied });
  const { code } = await scene.as("user").ask("POST", "/session/codes");
  await page.goto(`${prefix}/ui/audit?actor=ada#code=${code}`);
  await see(page, "who", userName);
  await page.reload();
  await see(page, "audit");
  assert.equal(page.url(), `${proxied}${prefix}/ui/audit?actor=ada`);
  assert.equal(await page.getByLabel("Who").inputValue(), "ada");
});
