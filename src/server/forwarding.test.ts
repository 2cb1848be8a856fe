import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { forwarding } from "./forwarding.ts";

function asked(from: string, headers: Record<string, string>, encrypted = false) {
  return { headers, socket: { remoteAddress: from, encrypted } } as unknown as IncomingMessage;
}

const said = {
  host: "10.0.0.7:7070",
  "x-forwarded-host": "forged.example, lab.example",
  "x-forwarded-proto": "http, https",
  "x-forwarded-prefix": "/jobs/",
};

test("a trusted proxy is believed, and of several the nearest", () => {
  const seen = forwarding({ trustedProxies: ["10.0.0.0/8", "::1"], pathPrefix: "/set" });
  const expected = { host: "lab.example", secure: true, prefix: "/jobs" };
  for (const from of ["10.1.2.3", "::ffff:10.1.2.3", "::1"]) assert.deepEqual(seen(asked(from, said)), expected, from);
  assert.deepEqual(seen(asked("10.1.2.3", { host: "a" })), { host: "a", secure: false, prefix: "/set" });
  assert.equal(seen(asked("10.1.2.3", { ...said, "x-forwarded-proto": "http" }, true)).secure, false);
});

test("others are not, whatever they say", () => {
  for (const trustedProxies of [null, ["10.0.0.0/8"]]) {
    const seen = forwarding({ trustedProxies, pathPrefix: null });
    for (const from of ["11.0.0.1", "::2", ""]) {
      assert.deepEqual(seen(asked(from, said)), { host: "10.0.0.7:7070", secure: false, prefix: "" });
      assert.equal(seen(asked(from, said, true)).secure, true);
    }
  }
});
