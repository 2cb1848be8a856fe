import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("the dashboard has nothing of the server but the types of its routes, and puts no payload into a page as HTML", () => {
  const files = globSync("dashboard/src/**/*.{ts,tsx}", { cwd: root });
  assert.ok(files.length > 50);
  const reaches = files.flatMap((file) => {
    const lines = readFileSync(`${root}/${file}`, "utf8").split("\n");
    return lines
      .filter((line) => /^import.*(?:(?:\.\.\/)+src\/|from "leadhand)/.test(line))
      .map((line) => `${file}: ${line}`);
  });
  assert.deepEqual(reaches, [
    'dashboard/src/api/routes.ts: import type { routes } from "../../../src/protocol/rest/routes.ts";',
  ]);
  const html = files.filter((file) =>
    /dangerouslySetInnerHTML|\.(?:inner|outer)HTML|insertAdjacentHTML/.test(readFileSync(`${root}/${file}`, "utf8")),
  );
  assert.deepEqual(html, []);
});
