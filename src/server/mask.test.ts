import assert from "node:assert/strict";
import { test } from "node:test";
import { maskFields, maskSecret, maskText } from "./mask.ts";

test("a secret that is a URL shows all but its password, any other shows nothing", () => {
  assert.equal(
    maskSecret("postgres://me:hunter2@host:5432/db?sslmode=require"),
    "postgres://me:***@host:5432/db?sslmode=require",
  );
  assert.equal(maskSecret("postgres://host/db?user=me&password=hunter2"), "postgres://host/db?user=me&password=***");
  assert.equal(maskSecret("hunter2"), "***");
  assert.equal(maskSecret("hunter2:x"), "***");
});

test("passwords and tokens are hidden wherever they stand in a text", () => {
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
  assert.equal(maskText("cannot reach amqp://me:p@ss@host/ now"), "cannot reach amqp://me:***@host/ now");
  assert.equal(maskText("Authorization: Bearer abc.def-123"), "Authorization: Bearer ***");
  assert.equal(maskText("leadhand.work.v1, bearer.lh_abc123"), "leadhand.work.v1, bearer.***");
  assert.equal(maskText(`got ${jwt}`), "got ***");
  assert.equal(maskText(`it is lh_${"aZ0_-".repeat(8)}abc.`), "it is ***.");
  for (const mark of ["lhs_", "lhc_"]) assert.equal(maskText(`${mark}${"aZ0_-".repeat(8)}abc`), "***");
  assert.equal(maskText("http://host/ui/#code=abc"), "http://host/ui/#code=***");
  assert.equal(maskText("http://host/path and user@host"), "http://host/path and user@host");
});

test("fields are hidden by their names too, at any depth", () => {
  const fields = {
    user: "me",
    token: "abc",
    lease_token: "abc",
    headers: { authorization: "Basic abc", cookie: "a=b", accept: "*/*" },
    list: [{ password: "abc" }, "postgres://a:b@c/d"],
    jwtSecret: "abc",
    tokens: 3,
    nothing: { token: null },
  };
  assert.deepEqual(maskFields(fields), {
    user: "me",
    token: "***",
    lease_token: "***",
    headers: { authorization: "***", cookie: "***", accept: "*/*" },
    list: [{ password: "***" }, "postgres://a:***@c/d"],
    jwtSecret: "***",
    tokens: 3,
    nothing: { token: null },
  });
});

test("errors keep their code, stack and cause", () => {
  const cause = Object.assign(new Error("at postgres://a:b@c/d"), { code: "ECONNREFUSED" });
  const shown = maskFields({ error: new Error("failed", { cause }) }) as { error: Record<string, unknown> };
  assert.equal(shown.error["message"], "failed");
  assert.match(String(shown.error["stack"]), /mask\.test/);
  const { message, code } = shown.error["cause"] as Record<string, unknown>;
  assert.deepEqual([message, code], ["at postgres://a:***@c/d", "ECONNREFUSED"]);
});

test("what refers to itself, is huge or is no JSON can be logged", () => {
  const loop: Record<string, unknown> = { size: 10n, at: new Date(0) };
  loop["self"] = loop;
  const text = JSON.stringify(maskFields({ loop, many: Array(1_000).fill(1) }));
  assert.match(text, /"size":"10"/);
  assert.match(text, /1970-01-01/);
  assert.ok(text.length < 2_000);
});
