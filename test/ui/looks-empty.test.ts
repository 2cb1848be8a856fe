import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../../src/testing/until.ts";
import { temporaryFolder } from "../leadhand-process.ts";
import { withBrowser } from "./browser.ts";
import { lookAt } from "./look-at.ts";
import { logIn, type UiScene, uiScene } from "./scene.ts";
import { enter, see } from "./see.ts";
import { typed } from "./terminal.ts";

let scene: UiScene;
before(async () => {
  if (withBrowser.skip === false) scene = await uiScene();
});

/** By the name of its picture: where it is, and what it says of how there would be something. */
const pages: Readonly<Record<string, readonly [path: string, teaches: RegExp]>> = {
  pulse: ["/", /leadhand submit/],
  tasks: ["/tasks", /leadhand submit/],
  jobs: ["/jobs", /leadhand worker/],
  fleet: ["/fleet", /leadhand worker/],
  failures: ["/failures", /retry them all/],
  providers: ["/providers", /node provider\.ts/],
};

for (const [name, [path, teaches]] of Object.entries(pages)) {
  test(`${name} of a fresh server teaches, in every look`, withBrowser, async (t) => {
    const { url, tokens } = scene;
    const enterAs = (page: Page) => logIn(page, tokens.admin);
    const page = await lookAt(t, { url, path, shows: "empty", name: `${name}-empty`, enter: enterAs });
    const said = (await page.getByTestId("empty").allTextContents()).join("\n");
    assert.match(said, teaches);
    assert.ok(said.includes(url), "what it tells to type is for this server");
  });
}

test(
  "whoever writes and types what an empty page tells sees a task done, and a provider answer",
  withBrowser,
  async (t) => {
    const folder = await temporaryFolder();
    const page = await enter(t, scene, "admin", "/providers");
    const [provider = "", serve = ""] = await lessonOf(page);
    await page.goto("/ui/tasks");
    const [file = "", work = "", submit = ""] = await lessonOf(page);
    const own = { LEADHAND_TOKEN: scene.tokens.user };

    await writeFile(join(folder, "jobs.ts"), file);
    const worker = typed(work, folder, own);
    await until("the worker is ready", () => worker.said().includes("ready"), 30_000).catch((error: Error) => {
      throw new Error(`${error.message}: ${work}\n${worker.said()}`);
    });
    const submitted = typed(submit, folder, own);
    assert.equal(await submitted.ended, 0, submitted.said());
    assert.match(submitted.said(), /"ok": true/);
    await see(page, "task-row", "completed");

    // In a package's own folder the name of the package is not known.
    const sdk = new URL("../../src/sdk/index.ts", import.meta.url).href;
    await writeFile(join(folder, "provider.ts"), provider.replace('"leadhand"', JSON.stringify(sdk)));
    const [, data = ""] = scene.where;
    const answering = typed(serve, folder, { LEADHAND_DATA: data });
    await page.goto("/ui/providers");
    const row = page.getByTestId("provider-list").getByRole("row").filter({ hasText: "lab:clocks:wall" });
    await row.waitFor({ timeout: 30_000 }).catch((error: Error) => {
      throw new Error(`${error.message}\n${answering.said()}`);
    });
    await row.getByRole("button", { name: "Read" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Read" }).click();
    await dialog.getByText(/"now":/).waitFor();
  },
);

/** What it shows to be copied: a file, then commands. */
async function lessonOf(page: Page): Promise<readonly string[]> {
  return (await see(page, "empty")).locator("pre").allTextContents();
}
