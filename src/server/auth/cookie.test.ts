import assert from "node:assert/strict";
import { test } from "node:test";
import { cookieOf, isOwnOrigin } from "./cookie.ts";

test("a cookie is found by its whole name, and the first of that name counts", () => {
  for (const [header, found] of [
    [undefined, null],
    ["", null],
    ["lh=1", "1"],
    ["a=b; lh=1;c=d", "1"],
    ["lh=1; lh=2", "1"],
    ["xlh=1; lhx=2; LH=3; lh", null],
    ["a=lh=1", null],
    ["lh=a=b", "a=b"],
    [" lh = 1 ", "1"],
  ] as const) {
    assert.equal(cookieOf(header === undefined ? {} : { cookie: header }, "lh"), found, header);
  }
});

test("an origin is ours where its host is, and its scheme where we know it", () => {
  const plain = { host: "lab.example:7070", secure: false };
  const tls = { host: "lab.example", secure: true };
  for (const [origin, seen, own] of [
    [undefined, plain, true],
    ["http://lab.example:7070", plain, true],
    ["https://lab.example:7070", plain, true],
    ["http://LAB.example:7070", plain, true],
    ["http://lab.example", plain, false],
    ["http://lab.example:70700", plain, false],
    ["http://lab.example:7070.evil.example", plain, false],
    ["http://evil.example/lab.example:7070", plain, false],
    ["http://lab.example:7070@evil.example", plain, false],
    ["ws://lab.example:7070", plain, false],
    ["null", plain, false],
    ["", plain, false],
    ["https://lab.example", tls, true],
    ["https://lab.example:443", tls, true],
    ["http://lab.example", tls, false],
    ["https://sub.lab.example", tls, false],
    ["https://lab.example", { ...tls, host: "lab.example:443" }, true],
    ["http://", { host: "", secure: false }, false],
    ["http://[::1]:7070", { host: "[::1]:7070", secure: false }, true],
  ] as const) {
    assert.equal(isOwnOrigin(origin, seen), own, `${origin} at ${seen.host}`);
  }
});
