// How many requests, and the seed, may be given: node tools/node.mjs test/rest/generated.test.ts 100000 42

import { test } from "node:test";
import { trial, withoutWaits } from "./generated/trial.ts";
import { restScene } from "./scene.ts";

const scene = await restScene(withoutWaits);

const [count = 8_000, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);

test(
  `whatever is asked, ${count} times, the answer is one that the OpenAPI document describes`,
  { timeout: 150_000 },
  (t) => trial(t, scene, count, seed),
);
