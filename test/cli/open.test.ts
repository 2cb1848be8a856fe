import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { run, temporaryFolder } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";
import { signIn } from "../rest/signed-in.ts";

const scene = await restScene();
const { url } = scene;
const link = new RegExp(`^${url}/ui/#code=(lhc_[\\w-]{43})\n?$`);
const folder = await temporaryFolder();
const note = join(folder, "opened");
const browser = {
  LEADHAND_URL: url,
  LEADHAND_TOKEN: scene.admin.token,
  PATH: `${folder}:/usr/bin:/bin`,
  DISPLAY: ":0",
  WAYLAND_DISPLAY: "",
};
writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > '${note}'\n`, { mode: 0o755 });
const skip = process.platform !== "linux" && "no xdg-open on this platform";

test("where there is a display, a link that signs in is opened in the browser", { skip }, async () => {
  const { code, out, err } = await run(["open"], browser);
  assert.deepEqual([code, err], [0, ""]);
  await until("the browser has it", () => existsSync(note) && readFileSync(note, "utf8") === out.trim());
  const { session } = await signIn(scene, { code: link.exec(out)?.[1] as string });
  assert.deepEqual([session.body.user, session.body.role], ["admin", "admin"]);
});

test("without a token the page itself has to ask for one", async () => {
  const { code, out, err } = await run(["open", "--print"], { ...browser, LEADHAND_TOKEN: "", HOME: folder });
  assert.deepEqual([code, out], [0, `${url}/ui/\n`]);
  assert.match(err, /no token/);
});

test("a token that is not good is told before any browser opens", async () => {
  const { code, out, err } = await run(["open"], { ...browser, LEADHAND_TOKEN: `lh_${"A".repeat(43)}` });
  assert.deepEqual([code, out], [1, ""]);
  assert.match(err, /token is not valid/);
});

test("without a display, and when asked, the link is printed, and that is all", { skip }, async () => {
  const other = join(await temporaryFolder(), "opened");
  writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\ntouch '${other}'\n`, { mode: 0o755 });
  const [blind, asked, json] = await Promise.all([
    run(["open"], { ...browser, DISPLAY: "" }),
    run(["open", "--print"], browser),
    run(["open", "--json"], browser),
  ]);
  for (const { code, out, err } of [blind, asked]) {
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, link);
  }
  assert.match(JSON.parse(json.out).url, link);
  assert.equal(existsSync(other), false);
});

test("a display without a browser is told, and the link is there", { skip }, async () => {
  const { code, out, err } = await run(["open"], { ...browser, PATH: await temporaryFolder() });
  assert.equal(code, 0);
  assert.match(out, link);
  assert.match(err, /no browser could be opened/);
});

test("a server that is away is told before any browser opens", async () => {
  const { code, out, err } = await run(["open"], { ...browser, LEADHAND_URL: "http://127.0.0.1:1" });
  assert.deepEqual([code, out], [1, ""]);
  assert.match(err, /http:\/\/127\.0\.0\.1:1/);
});
