import assert from "node:assert/strict";
import { test } from "node:test";
import { announcements } from "./announcements.ts";
import { hearing } from "./hearing.ts";
import { topicHash, unpackHashes } from "./topic-hash.ts";

test("a new topic is announced alone, everything when it is time", () => {
  const says = announcements(() => ["a", "b"], hearing());
  assert.equal(says.take(), null);
  says.begun("b");
  assert.deepEqual(unpackHashes(says.take()?.wants ?? ""), [topicHash("b")]);
  assert.equal(says.take(), null);
  says.begun("b");
  says.all();
  const everything = says.take();
  assert.deepEqual(unpackHashes(everything?.wantsAll ?? ""), [topicHash("a"), topicHash("b")]);
  assert.equal(everything?.wants, undefined);
  assert.equal(everything?.hello, undefined);
});

test("a hello comes with everything, and every announcement of everything has the next number", () => {
  const says = announcements(() => [], hearing());
  says.hello();
  assert.deepEqual(says.take(), { wantsAll: "", probe: 1, hello: true });
  says.all();
  assert.deepEqual(says.take(), { wantsAll: "", probe: 2 });
});
