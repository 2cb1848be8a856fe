// A code that several show at once, and sessions on two servers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { expectProblem } from "./expect-problem.ts";
import { type RestScene, restScene } from "./scene.ts";
import { knock, signIn } from "./signed-in.ts";

async function race(scenes: readonly [RestScene, RestScene]): Promise<void> {
  const [{ admin }] = scenes;
  for (let round = 0; round < 5; round += 1) {
    const { code } = (await admin.post("/session/codes")).body;
    const answers = await Promise.all(scenes.map((scene) => knock(scene, { code })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
  }
  const { items } = (await admin.get("/tokens?kind=session")).body;
  assert.equal(items.length, 5);
}

test("of two who show one code at once, one is let in", async () => {
  const scene = await restScene();
  await race([scene, scene]);
});

test("so it is on PostgreSQL, where each asks a server of its own", withPostgres, async () => {
  const flags = { "database-url": await freshDatabase() };
  await race([await restScene(flags), await restScene(flags)]);
});

test("a session is good on every server, and ends on each within five seconds", withPostgres, async () => {
  const flags = { "database-url": await freshDatabase() };
  const [here, there] = [await restScene(flags), await restScene(flags)];
  const browser = await signIn(here, here.admin);
  const elsewhere = (method: string, headers = {}) =>
    there.send(method, "/v1/session", { headers: { cookie: browser.cookie, ...headers } });
  const { body } = await elsewhere("GET");
  assert.deepEqual([body.csrf, body.user], [browser.csrf, "admin"]);
  assert.equal((await browser.act("DELETE", "/session")).status, 204);
  await until("it has ended there too", async () => (await elsewhere("GET")).status === 401, 6_000);
  expectProblem(await elsewhere("DELETE", { "x-leadhand-csrf": browser.csrf }), "unauthorized", /revoked/);
});
