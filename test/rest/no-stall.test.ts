// The server runs in the test's process, so that a stall of its loop is one of ours.

import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { before, test } from "node:test";
import { restScene } from "./scene.ts";

const scene = await restScene();
const { admin } = scene;
const job = "@global:modifiers:Rotate";
const submitPath = `/rooms/lab/tasks/${job}`;

/** Seconds would be a fault; tenths of one are the machine's, or the price of four megabytes. */
const stallMsMax = 1_500;

before(async () => {
  await admin.put("/rooms/@global/jobs", { category: "modifiers", name: "Rotate", schema: {} });
  const choices = { anyOf: Array.from({ length: 500 }, (_, nth) => ({ const: nth })) };
  for (const [name, schema] of Object.entries({
    Choices: { properties: { a: { items: choices } } },
    Pattern: { properties: { a: { pattern: "^(([a-z])+.)+[A-Z]([a-z])+$" } } },
    Unique: { properties: { a: { uniqueItems: true } } },
  })) {
    await admin.put("/rooms/@global/jobs", { category: "modifiers", name, schema });
  }
});

async function stallMs(body: string, path = submitPath): Promise<{ readonly status: number; readonly ms: number }> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const { status } = await admin.post(path, body);
  loop.disable();
  return { status, ms: loop.max / 1e6 };
}

const many = (count: number, item: (nth: number) => unknown) =>
  JSON.stringify({ tasks: Array.from({ length: count }, (_, nth) => item(nth)) });
const list = (item: string, count: number) => `[${`${item},`.repeat(count - 1)}${item}]`;

const cases: Readonly<Record<string, readonly [body: string, status: number, path?: string]>> = {
  "a thousand queues that nobody has used yet": [
    many(1_000, (nth) => ({ job, queue: `q${nth}` })),
    202,
    "/rooms/lab/tasks",
  ],
  "four million lines before what is no JSON": [`${"\n".repeat(4_000_000)}x`, 422],
  "two hundred thousand wrong labels": [
    `{"labels":{${Array.from({ length: 200_000 }, (_, nth) => `"k${nth}":1`)}}}`,
    422,
  ],
  "a number of a million digits": [`{"payload":{"a":${"9".repeat(1_000_000)}}}`, 422],
  "a pattern that could be tried without end": [
    JSON.stringify({ payload: { a: "a".repeat(900_000) } }),
    422,
    "/rooms/lab/tasks/@global:modifiers:Pattern",
  ],
  "a payload that is too large to be checked at all": [
    `{"payload":{"a":${list('{"a":1}', 200_000)}}}`,
    413,
    "/rooms/lab/tasks/@global:modifiers:Unique",
  ],
  "a thousand payloads that each take long to check": [
    `{"tasks":${list(`{"job":"@global:modifiers:Choices","payload":{"a":${list("499", 900)}}}`, 1_000)}}`,
    422,
    "/rooms/lab/tasks",
  ],
};

for (const [what, [body, status, path]] of Object.entries(cases)) {
  test(`nobody waits long because of ${what}`, async () => {
    const stalled = await stallMs(body, path);
    assert.equal(stalled.status, status);
    assert(stalled.ms < stallMsMax, `the loop stood still for ${Math.round(stalled.ms)} ms`);
  });
}

test("a page of tasks that is too large for one answer is refused, and a smaller one is not", async () => {
  const body = `{"payload":{"a":"${"x".repeat(2 ** 20 - 100)}"}}`;
  for (let nth = 0; nth < 34; nth += 1) await admin.post(`/rooms/attic/tasks/${job}`, body);
  const refused = await admin.get("/rooms/attic/tasks?limit=500");
  assert.equal(refused.status, 413);
  assert.equal(refused.body.type, "/v1/problems/payload-too-large");
  const { body: page } = await admin.get("/rooms/attic/tasks?limit=3&offset=31");
  assert.equal(page.items.length, 3);
  assert.equal(page.total, 34);
});

test("a long page is whole, in order and without repetitions", async () => {
  for (let nth = 0; nth < 3; nth += 1)
    await admin.post(
      "/rooms/cellar/tasks",
      many(90, () => ({ job })),
    );
  const { body: page } = await admin.get("/rooms/cellar/tasks?limit=250&offset=10");
  const ids: string[] = page.items.map(({ id }: { id: string }) => id);
  assert.equal(ids.length, 250);
  assert.deepEqual(ids, [...new Set(ids)].sort().reverse());
  assert.equal((await admin.get("/rooms/cellar/tasks?limit=200&offset=200")).body.items.length, 70);
  assert.deepEqual((await admin.get("/rooms/cellar/tasks?limit=0")).body.items, []);
});
