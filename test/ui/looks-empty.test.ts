import assert from "node:assert/strict";
import { before, test } from "node:test";
import { withBrowser } from "./browser.ts";
import { lookAt } from "./look-at.ts";
import { logIn, type UiScene, uiScene } from "./scene.ts";

let scene: UiScene;
before(async () => {
  if (withBrowser.skip === false) scene = await uiScene();
});

/** By the name of its picture: where it is, and what it says of how there would be something. */
const pages: Readonly<Record<string, readonly [path: string, teaches: RegExp]>> = {
  pulse: ["/", /leadhand demo/],
  tasks: ["/tasks", /leadhand submit/],
  jobs: ["/jobs", /leadhand worker/],
  fleet: ["/fleet", /leadhand worker/],
  failures: ["/failures", /retry them all/],
  providers: ["/providers", /curl/],
};

for (const [name, [path, teaches]] of Object.entries(pages)) {
  test(`${name} of a fresh server teaches, in every look`, withBrowser, async (t) => {
    const { url, tokens } = scene;
    const enter = (page: Parameters<typeof logIn>[0]) => logIn(page, tokens.admin);
    const page = await lookAt(t, { url, path, shows: "empty", name: `${name}-empty`, enter });
    assert.match((await page.getByTestId("empty").allTextContents()).join("\n"), teaches);
  });
}
