import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestName } from "./nearest-name.ts";

const names = ["serve", "submit", "tasks", "up", "verify", "version"];

test("a slip of the finger finds the name that was meant", () => {
  assert.equal(nearestName("serv", names), "serve");
  assert.equal(nearestName("sumbit", names), "submit");
  assert.equal(nearestName("verfy", names), "verify");
});

test("a name that was only begun is completed", () => {
  assert.equal(nearestName("ta", names), "tasks");
});

test("a word like no command suggests nothing", () => {
  assert.equal(nearestName("frobnicate", names), undefined);
  assert.equal(nearestName("x", names), undefined);
  assert.equal(nearestName("", names), undefined);
});
