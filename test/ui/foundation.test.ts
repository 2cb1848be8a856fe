import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { withPostgres } from "../fresh-database.ts";
import { axe } from "./axe.ts";
import { inEveryLook, openPage, withBrowser } from "./browser.ts";
import { aDay, failureKinds } from "./day.ts";
import { assertFits } from "./fit.ts";
import { uiScene } from "./scene.ts";
import { shot } from "./shot.ts";

test("the documents of a real server are a page without faults, in every look", withBrowser, async (t) => {
  const scene = await uiScene();
  const page = await openPage(t, { url: scene.url });
  await page.goto("/docs");
  assert.match(await page.title(), /^Leadhand .*: API$/);
  await inEveryLook(page, async ({ size, scheme }) => {
    // It takes its time over so long a page, which has the same parts in every size.
    if (size === "desktop") await axe(page);
    await assertFits(page);
    const file = await shot(page, "docs");
    assert.match(file, new RegExp(`docs-${scheme}${size === "desktop" ? "" : `-${size}`}\\.png$`));
    assert.ok((await readFile(file)).length > 1_000);
  });
});

for (const [store, needs] of [
  ["sqlite", {}],
  ["postgres", withPostgres],
] as const) {
  test(`a day on ${store} has a task in every state, and a worker that is killed is missed`, needs, async () => {
    const scene = await uiScene({ store });
    const { workers, tasks } = await aDay(scene);
    const { client } = scene;

    for (const id of [...tasks.completed, tasks.album]) assert.equal((await client.get(id)).status, "completed");
    const codes = await Promise.all(
      failureKinds.map(async (kind) => (await client.get(tasks.failed[kind][0] ?? "")).error_code),
    );
    assert.deepEqual(codes, ["no-mailbox", null, "JobTimeout"]);
    assert.equal((await client.get(tasks.cancelled)).status, "cancelled");
    assert.equal((await client.explain(tasks.waiting)).cause, "worker-labels");
    assert.equal((await client.get(tasks.delayed)).status, "pending");
    const { items } = await scene.as("viewer").ask("GET", "/workers");
    const hosts = items.map(({ hostname }: { readonly hostname: string }) => hostname);
    assert.deepEqual(hosts.toSorted(), ["north-1.example", "north-2.example", "south-1.example"]);
    assert.equal((await scene.as("viewer").send("POST", `/tasks/${tasks.waiting}/cancel`)).status, 403);

    await workers.south.kill();
    await until("its task waits again", async () => (await client.get(tasks.held)).status === "pending", 15_000);
    await scene.stop();
  });
}
