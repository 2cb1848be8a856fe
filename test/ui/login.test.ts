import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { faultsOf, openPage, withBrowser } from "./browser.ts";
import { callerAt } from "./caller.ts";
import { type UiScene, uiScene, userName } from "./scene.ts";
import { enter, see, seeNo } from "./see.ts";

let scene: UiScene;
before(async () => {
  scene = await uiScene();
});

/** The first question of a stranger is who they are; nobody is the right answer. */
const notKnown = /^response: 401 GET .*\/v1\/session$/;

test("a token lets its owner in, and nothing of it stays in the browser", withBrowser, async (t) => {
  const page = await openPage(t, { url: scene.url });
  faultsOf(page).expect(notKnown);
  await page.goto("/ui/fleet");
  await fillIn(page, scene.tokens.user);
  await see(page, "who", userName);
  assert.equal(page.url(), `${scene.url}/ui/fleet`);

  const { cookies, origins } = await page.context().storageState();
  const [cookie, ...others] = cookies;
  assert.deepEqual(others, []);
  assert.ok(cookie?.httpOnly);
  assert.equal(cookie.sameSite, "Strict");
  const kept = await page.evaluate<string>("document.cookie + JSON.stringify([localStorage, sessionStorage])");
  for (const text of [kept, JSON.stringify(origins), cookie.value, await page.content()]) {
    assert.ok(!text.includes(scene.tokens.user));
  }
  await page.reload();
  await see(page, "who", userName);
});

test("a wrong token is told so, and the right one is taken after it", withBrowser, async (t) => {
  const page = await openPage(t, { url: scene.url });
  faultsOf(page).expect(notKnown);
  faultsOf(page).expect(/^response: 401 POST .*\/v1\/session$/);
  await page.goto("/ui/fleet");
  await fillIn(page, "lh_no-such-token");
  await see(page, "login", /token/i);
  await page.getByLabel("Token").and(page.locator("[aria-invalid=true]")).waitFor();
  assert.deepEqual(await page.context().cookies(), []);
  await fillIn(page, scene.tokens.user);
  await see(page, "who", userName);
});

test(
  "a link lets in once, leaves the address at once, and says so kindly when it is used again",
  withBrowser,
  async (t) => {
    const { code } = await scene.as("user").ask("POST", "/session/codes");
    const link = `/ui/fleet#code=${code}`;
    const page = await openPage(t, { url: scene.url });
    await page.goto(link);
    await see(page, "who", userName);
    assert.equal(page.url(), `${scene.url}/ui/fleet`);
    assert.equal(await page.evaluate("history.length"), 2, "only the empty page stands before it");

    const late = await openPage(t, { url: scene.url });
    faultsOf(late).expect(/^response: 401 POST .*\/v1\/session$/);
    await late.goto(link);
    await see(late, "login", "The link no longer works");
    assert.equal(late.url(), `${scene.url}/ui/fleet`);
    await fillIn(late, scene.tokens.user);
    await see(late, "who", userName);
  },
);

test("whoever logs out is a stranger again, whatever they kept of their cookie", withBrowser, async (t) => {
  const page = await enter(t, scene, "user", "/fleet");
  faultsOf(page).expect(notKnown);
  const kept = await page.context().cookies();
  await page.getByTestId("who").click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await see(page, "login");
  assert.deepEqual(await page.context().cookies(), []);

  await page.context().addCookies(kept);
  const answer = await page.context().request.get("/v1/session");
  assert.equal(answer.status(), 401);
});

test(
  "a session that ends is over on the page too, which goes on where it was after a new login",
  withBrowser,
  async (t) => {
    const token = await scene.token("--user", "bea");
    const page = await openPage(t, { url: scene.url });
    faultsOf(page).expect(/^response: 401 /);
    await page.goto("/ui/audit?action=worker.pause");
    await fillIn(page, token);
    await see(page, "who", "bea");

    const { items } = await scene.as("admin").ask("GET", "/tokens");
    const { id } = items.find(({ user }: { readonly user: string }) => user === "bea");
    await scene.as("admin").ask("DELETE", `/tokens/${id}`);
    assert.equal((await callerAt(scene.url, token).send("GET", "/me")).status, 401);
    await see(page, "login", "The session is over");
    await seeNo(page, "who");
    await fillIn(page, scene.tokens.user);
    await see(page, "who", userName);
    assert.equal(await page.getByLabel("Act").inputValue(), "worker.pause");
  },
);

async function fillIn(page: Page, token: string): Promise<void> {
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
}
