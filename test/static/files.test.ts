// The dashboard's files: one page whatever the path, assets that are kept for good, and headers that keep others out.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { temporaryFolder } from "../leadhand-process.ts";
import { page, script, uiServer } from "./scene.ts";

const url = await uiServer({ "trusted-proxies": "127.0.0.1" });

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** As it comes over the wire: nothing is followed, decoded or tidied up. */
function ask(path: string, headers: Record<string, string> = {}, method = "GET", at = url): Promise<Raw> {
  const { hostname, port } = new URL(at);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, method, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(parts) }),
      );
    });
    asked.on("error", reject).end();
  });
}

test("the root and /ui lead to the dashboard by relative paths", async () => {
  for (const path of ["/", "/ui"]) {
    const { status, headers } = await ask(path);
    assert.deepEqual([status, headers["location"]], [302, "ui/"]);
  }
});

test("every path below /ui/ that is no file is the page, which is asked for anew each time", async () => {
  for (const path of [
    "/ui/",
    "/ui/index.html",
    "/ui/tasks/0192?state=failed",
    "/ui/jobs/lab%3Amodifiers%3AX",
    "/ui/a.b",
  ]) {
    const { status, headers, bytes } = await ask(path);
    assert.deepEqual([status, bytes.toString()], [200, page], path);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers["cache-control"], "no-cache");
  }
});

test("assets are kept for good; other files are asked for again, and not sent again", async () => {
  const asset = await ask("/ui/assets/app-1a2b.js");
  assert.equal(asset.bytes.toString(), script);
  assert.equal(asset.headers["content-type"], "text/javascript; charset=utf-8");
  assert.match(String(asset.headers["cache-control"]), /max-age=31536000, immutable/);
  for (const path of ["/ui/icon.svg", "/ui/", "/ui/assets/app-1a2b.js"]) {
    const { headers } = await ask(path, { "accept-encoding": "br" });
    const again = await ask(path, { "accept-encoding": "br", "if-none-match": `"x", W/${headers["etag"]}` });
    assert.deepEqual([again.status, again.bytes.length, again.headers["etag"]], [304, 0, headers["etag"]], path);
    assert.equal((await ask(path, { "if-none-match": '"x"' })).status, 200);
  }
});

test("an asset that is gone is not the page", async () => {
  const { status, headers } = await ask("/ui/assets/app-0000.js");
  assert.deepEqual([status, headers["content-type"]], [404, "application/problem+json"]);
});

test("what gains by it is compressed as the browser accepts it", async () => {
  const path = "/ui/assets/app-1a2b.js";
  for (const [accepted, encoding] of [
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["*", "br"],
    ["deflate", undefined],
    ["br; q=0", undefined],
  ] as const) {
    const { headers, bytes } = await ask(path, { "accept-encoding": accepted });
    assert.equal(headers["content-encoding"], encoding, accepted);
    assert.equal(headers["vary"], "accept-encoding");
    const plain = encoding === "br" ? brotliDecompressSync(bytes) : encoding === "gzip" ? gunzipSync(bytes) : bytes;
    assert.equal(plain.toString(), script);
  }
  const tags = await Promise.all(["br", "gzip", ""].map((each) => ask(path, { "accept-encoding": each })));
  assert.equal(new Set(tags.map(({ headers }) => headers["etag"])).size, 3);
  const font = await ask("/ui/assets/sans-3c4d.woff2", { "accept-encoding": "br" });
  assert.deepEqual([font.headers["content-encoding"], font.bytes.length], [undefined, 4_096]);
});

test("every answer of the dashboard keeps other origins out", async () => {
  for (const [path, method] of [
    ...(["/ui", "/ui/", "/ui/icon.svg", "/ui/assets/app-1a2b.js", "/ui/assets/none.js"] as const).map(
      (each) => [each, "GET"] as const,
    ),
    ["/ui/", "HEAD"],
    ["/ui/", "POST"],
  ] as const) {
    const { headers } = await ask(path, {}, method);
    const policy = String(headers["content-security-policy"]).split("; ");
    assert.ok(policy.includes("default-src 'none'") && policy.includes("frame-ancestors 'none'"), `${method} ${path}`);
    assert.ok(!policy.some((part) => part.includes("unsafe")));
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["x-frame-options"], "DENY");
    assert.equal(headers["cross-origin-opener-policy"], "same-origin");
  }
});

test("the dashboard can only be read", async () => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const { status, headers } = await ask("/ui/tasks", {}, method);
    assert.deepEqual([status, headers["allow"]], [405, "GET, HEAD"]);
  }
  const head = await ask("/ui/", {}, "HEAD");
  assert.deepEqual([head.status, head.bytes.length], [200, 0]);
});

test("no path leads out of the folder", async () => {
  for (const path of [
    "/ui/../package.json",
    "/ui/..%2f..%2fpackage.json",
    "/ui/%2e%2e/%2e%2e/etc/passwd",
    "/ui//etc/passwd",
  ]) {
    const { bytes, status } = await ask(path);
    assert.ok(status === 404 || bytes.toString() === page, path);
  }
});

test("below a path of a proxy the page is told where it is, if the proxy is trusted and the path is one", async () => {
  const baseOf = async (prefix: string, at = url) => {
    const { bytes } = await ask("/ui/tasks", prefix === "" ? {} : { "x-forwarded-prefix": prefix }, "GET", at);
    return /<base href="([^"]*)">/.exec(bytes.toString())?.[1];
  };
  assert.equal(await baseOf("/lead/hand"), "/lead/hand/ui/");
  assert.equal(await baseOf("/other, /leadhand/"), "/leadhand/ui/");
  for (const bad of ['"><script>', "leadhand", "//evil.example", "/a/../b", "/a b", "/%22"]) {
    assert.equal(await baseOf(bad), "/ui/", bad);
  }
  const alone = await uiServer({ "path-prefix": "/set" });
  assert.equal(await baseOf("/forged", alone), "/set/ui/");
});

test("where the dashboard was not built, the page says how to", async () => {
  const at = await uiServer({}, join("/", "nowhere", "at", "all"));
  const { status, bytes } = await ask("/ui/tasks", {}, "GET", at);
  assert.equal(status, 200);
  assert.match(bytes.toString(), /npm run build/);
});

test("what the build has encoded is sent as it is, and is no file of its own", async () => {
  const folder = await temporaryFolder();
  writeFileSync(join(folder, "index.html"), page);
  mkdirSync(join(folder, "assets"));
  const place = join(folder, "assets", "app-5e6f.js");
  writeFileSync(place, script);
  // Another level than the server's own: so it can be told who made it.
  const made = gzipSync(script, { level: 1 });
  writeFileSync(`${place}.gz`, made);
  const at = await uiServer({}, folder);
  const { bytes, headers } = await ask("/ui/assets/app-5e6f.js", { "accept-encoding": "gzip" }, "GET", at);
  assert.equal(headers["content-encoding"], "gzip");
  assert.deepEqual(bytes, made);
  assert.equal((await ask("/ui/assets/app-5e6f.js.gz", {}, "GET", at)).status, 404);
});
