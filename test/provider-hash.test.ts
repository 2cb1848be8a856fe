import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { providerQuestion } from "../src/core/provider.ts";

test("any question has the hash that Python gives it", (t) => {
  const script = `
import hashlib, json, sys
for params in json.load(sys.stdin):
    text = json.dumps(params, sort_keys=True, separators=(",", ":"))
    print(hashlib.sha256(text.encode()).hexdigest())`;
  const texts = fc.oneof(fc.string({ unit: "binary", maxLength: 6 }), fc.string({ maxLength: 6 }));
  const seed = Date.now() % 2 ** 31;
  t.diagnostic(`seed ${seed}`);
  const many = fc.sample(fc.array(fc.tuple(texts, texts), { maxLength: 5 }), { numRuns: 2_000, seed });
  const maps = many.map((pairs) => new Map(pairs));
  const input = JSON.stringify(maps.map((params) => Object.fromEntries(params)));
  const { stdout, error } = spawnSync("python3", ["-c", script], { input, encoding: "utf8" });
  if (error !== undefined && "code" in error && error.code === "ENOENT") {
    t.skip("python3 is not installed");
    return;
  }
  assert.deepEqual(
    maps.map((params) => providerQuestion(params).hash),
    stdout.trim().split("\n"),
  );
});
