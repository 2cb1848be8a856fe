import assert from "node:assert/strict";
import { before, test } from "node:test";
import { withBrowser } from "./browser.ts";
import { type UiScene, uiScene } from "./scene.ts";
import { enter, see } from "./see.ts";

let scene: UiScene;
before(async () => {
  scene = await uiScene();
  await scene.hire();
});

test(
  "a payload is shown, cloned and edited with all its digits, in its queue, with its priority and on its terms",
  withBrowser,
  async (t) => {
    const payload = '{"steps":1,"stepMs":1,"id":12345678901234567890}';
    const asked = {
      queue: "bulk",
      priority: 7,
      labels: { disk: "ssd" },
      retry: { maxAttempts: 3 },
      timeout_seconds: 90,
    };
    const id = await submitted(payload, asked);
    const page = await enter(t, scene, "user", `/tasks/${id}`);
    await see(page, "task", "12345678901234567890");

    await page.getByTestId("task-menu").click();
    await page.getByRole("menuitem", { name: "Clone" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    assert.deepEqual(await written(page.url().slice(-36)), { payload, ...asked });

    await page.getByTestId("task-menu").click();
    await page.getByRole("menuitem", { name: "Edit and run again" }).click();
    const raw = await see(page, "raw-payload");
    assert.equal((await raw.inputValue()).replaceAll(/\s/g, ""), payload);
    await raw.fill('{"steps": 1, "stepMs": 1, "id": 98765432109876543210}');
    await page.getByTestId("submit").click();
    await see(page, "task", "98765432109876543210");
    const edited = '{"steps":1,"stepMs":1,"id":98765432109876543210}';
    assert.deepEqual(await written(page.url().slice(-36)), { payload: edited, ...asked });
  },
);

/** As text: this program would round it too. */
async function submitted(payload: string, options: object): Promise<string> {
  const body = JSON.stringify({ payload: null, ...options }).replace("null", payload);
  const init = { method: "POST", body, headers: { authorization: `Bearer ${scene.tokens.user}` } };
  const answer = await fetch(`${scene.url}/v1/rooms/studio/tasks/studio:analysis:Scan`, init);
  return ((await answer.json()) as { id: string }).id;
}

async function written(id: string): Promise<object> {
  const answer = await fetch(`${scene.url}/v1/tasks/${id}`, {
    headers: { authorization: `Bearer ${scene.tokens.user}` },
  });
  const text = await answer.text();
  const { queue, priority, labels, retry, timeout_seconds } = JSON.parse(text) as Record<string, unknown>;
  const payload = /"payload":(\{.*?\})/.exec(text)?.[1];
  return { payload, queue, priority, labels, retry, timeout_seconds };
}
