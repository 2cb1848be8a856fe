import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { run, temporaryFolder } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";

const { url } = await restScene();
const page = `${url}/docs`;
const folder = await temporaryFolder();
const note = join(folder, "opened");
const browser = { LEADHAND_URL: url, PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ":0", WAYLAND_DISPLAY: "" };
writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > '${note}'\n`, { mode: 0o755 });
const skip = process.platform !== "linux" && "no xdg-open on this platform";

test("where there is a display, the page is opened in the browser", { skip }, async () => {
  const { code, out, err } = await run(["open"], browser);
  assert.deepEqual([code, out, err], [0, `${page}\n`, ""]);
  await until("the browser has it", () => existsSync(note) && readFileSync(note, "utf8") === page);
});

test("without a display, and when asked, its address is printed, and that is all", { skip }, async () => {
  const other = join(await temporaryFolder(), "opened");
  writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\ntouch '${other}'\n`, { mode: 0o755 });
  const [blind, asked, json] = await Promise.all([
    run(["open"], { ...browser, DISPLAY: "" }),
    run(["open", "--print"], browser),
    run(["open", "--json"], browser),
  ]);
  for (const { code, out, err } of [blind, asked]) assert.deepEqual([code, out, err], [0, `${page}\n`, ""]);
  assert.deepEqual(JSON.parse(json.out), { url: page });
  assert.equal(existsSync(other), false);
});

test("a display without a browser is told, and the address is there", { skip }, async () => {
  const { code, out, err } = await run(["open"], { ...browser, PATH: await temporaryFolder() });
  assert.deepEqual([code, out], [0, `${page}\n`]);
  assert.match(err, /no browser could be opened/);
});

test("a server that is away is told before any browser opens", async () => {
  const { code, out, err } = await run(["open"], { ...browser, LEADHAND_URL: "http://127.0.0.1:1" });
  assert.deepEqual([code, out], [1, ""]);
  assert.match(err, /http:\/\/127\.0\.0\.1:1/);
});
