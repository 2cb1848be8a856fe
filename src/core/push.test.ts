import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "./problem.ts";
import {
  checkPush,
  mayReach,
  parsePush,
  pushSecret,
  pushSignature,
  shownPush,
  strictPushRules,
  targetFault,
} from "./push.ts";

test("a signature is the HMAC of time and body, as any other program computes it", () => {
  // printf '%s' '1700000000.{"task":{"id":"1"}}' | openssl dgst -sha256 -hmac 'a secret of one kind'
  const signed = pushSignature("a secret of one kind", 1_700_000_000, '{"task":{"id":"1"}}');
  assert.equal(signed, "v1=06303f3bc496395274c3fa05443b157fc166943ca5458c595494c888f67a297d");
});

test("a job's computed secret is its own, and the same on every server", () => {
  assert.equal(pushSecret("s", "a:b:c"), pushSecret("s", "a:b:c"));
  assert.notEqual(pushSecret("s", "a:b:c"), pushSecret("s", "a:b:d"));
  assert.notEqual(pushSecret("s", "a:b:c"), pushSecret("t", "a:b:c"));
});

test("what a job does not say is filled in", () => {
  assert.deepEqual(parsePush('{"url":"https://a.example/","maxConcurrent":3}'), {
    ...{
      url: "https://a.example/",
      timeoutMs: 30_000,
      callbackMs: 900_000,
      maxConcurrent: 3,
      headers: {},
      secret: null,
    },
  });
});

test("http is allowed by either of two settings, and a listed host only as far as its address is concerned", () => {
  const rules = strictPushRules;
  const http = "http://a.example/";
  assert.notEqual(targetFault(http, rules), null);
  assert.equal(targetFault(http, { ...rules, allowHttp: true }), null);
  assert.equal(targetFault(http, { ...rules, allowPrivate: true }), null);
  assert.notEqual(targetFault(http, { ...rules, allowHosts: ["a.example"] }), null);
  assert.notEqual(targetFault("https://10.0.0.1/", { ...rules, allowHttp: true }), null);
  assert.equal(targetFault("https://10.0.0.1/", { ...rules, allowHosts: ["10.0.0.1"] }), null);
  assert.equal(mayReach("10.0.0.1", "Hooks.LAN", { ...rules, allowHosts: ["hooks.lan"] }), true);
  assert.equal(mayReach("10.0.0.1", "other.lan", { ...rules, allowHosts: ["hooks.lan"] }), false);
});

test("what is shown of a push job holds nothing that somebody could use", () => {
  const push = {
    url: "https://a.example/x?key=hush#hush",
    headers: { Authorization: "hush" },
    secret: "hush".repeat(5),
  };
  assert.ok(!JSON.stringify(shownPush(JSON.stringify(push))).includes("hush"));
});

test("what is no object at all is refused by its name", () => {
  for (const push of ["https://a.example/", [], 5, { url: "https://a.example/", headers: [] }]) {
    assert.throws(
      () => checkPush(push, strictPushRules),
      (error) => error instanceof Problem && error.errors[0]?.pointer.startsWith("/push") === true,
    );
  }
});
