import assert from "node:assert/strict";
import { test } from "node:test";
import { packHashes, topicHash, unpackHashes } from "./topic-hash.ts";

test("a hash is that of FNV-1a, so that servers of different versions agree", () => {
  assert.equal(topicHash(""), 0x811c9dc5);
  assert.equal(topicHash("a"), 0xe40c292c);
  assert.equal(topicHash("foobar"), 0xbf9cf968);
});

test("packed hashes come out as they went in", () => {
  const hashes = [0, 1, 0xffff_ffff, topicHash("supply:1")];
  assert.deepEqual(unpackHashes(packHashes(hashes)), hashes);
  assert.deepEqual(unpackHashes(packHashes([])), []);
});

test("topics of workers and lanes hardly ever share a hash", () => {
  const topics = Array.from({ length: 20_000 }, (_, index) => `supply:${index}`);
  assert.ok(new Set(topics.map(topicHash)).size > 19_990);
});
