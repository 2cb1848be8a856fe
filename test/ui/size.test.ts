import assert from "node:assert/strict";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { openPage, withBrowser } from "./browser.ts";
import { logIn, type UiScene, uiScene } from "./scene.ts";
import { see } from "./see.ts";

let scene: UiScene;
before(async () => {
  scene = await uiScene();
});

const limit = 250_000;

test(`the first page is there after ${limit / 1_000} kB, gzipped, and asks nobody else`, withBrowser, async (t) => {
  const page = await openPage(t, { url: scene.url });
  await logIn(page, scene.tokens.viewer);
  const loading: Promise<readonly [string, number]>[] = [];
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith("/ui/")) {
      loading.push(response.body().then((body) => [pathname, gzipSync(body, { level: 9 }).length] as const));
    }
  });
  await page.goto("/ui/");
  await see(page, "pulse");
  await see(page, "live", "Live");
  const loaded = await Promise.all(loading);
  const sum = loaded.reduce((total, [, bytes]) => total + bytes, 0);
  const list = loaded.map(([path, bytes]) => `${path} ${bytes}`).join("\n  ");
  assert.ok(sum > 10_000, "there is a page at all");
  assert.ok(sum < limit, `${sum} bytes:\n  ${list}`);
  t.diagnostic(`${sum} bytes in ${loaded.length} files`);
});
