import assert from "node:assert/strict";
import { test } from "node:test";
import { peers } from "./peers.ts";
import { packHashes, topicHash } from "./topic-hash.ts";

const packed = (...topics: string[]): string => packHashes(topics.map(topicHash));

test("a topic is wanted while some server wants it", () => {
  const others = peers();
  assert.equal(others.heard("a", 0), true);
  assert.equal(others.heard("a", 1), false);
  others.setWants("a", packed("x", "y"));
  others.addWants("a", packed("z"));
  assert.deepEqual(["x", "y", "z", "w"].map(others.want), [true, true, true, false]);
  others.setWants("a", packed("y"));
  assert.deepEqual(["x", "y", "z"].map(others.want), [false, true, false]);
  others.remove("a");
  assert.equal(others.want("y"), false);
});

test("a server not heard of for a while is forgotten", () => {
  const others = peers();
  others.heard("a", 100);
  others.heard("b", 200);
  others.forget(200);
  assert.equal(others.count(), 1);
  assert.equal(others.heard("a", 300), true);
});

test("wishes of a server that is not known are left alone", () => {
  const others = peers();
  others.addWants("a", packed("x"));
  others.setWants("a", packed("x"));
  assert.equal(others.want("x"), false);
});
