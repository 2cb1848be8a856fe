import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { now } from "../../system.ts";
import { brakes } from "./brakes.ts";
import { orders } from "./orders.ts";

function followed() {
  const { heed, follow, isPaused } = orders();
  const heard: boolean[] = [];
  follow((paused) => void heard.push(paused));
  return { heed, heard, isPaused };
}

test("a pause holds until it is resumed, however often it is said", () => {
  const { heed, heard, isPaused } = followed();
  for (const type of ["pause", "pause", "concurrency"] as const) heed({ type, until: null });
  assert.equal(isPaused(), true);
  heed({ type: "resume", until: null });
  assert.deepEqual([heard, isPaused()], [[true, false], false]);
});

test("a pause ends by itself when it says so; the deadline of a drain ends nothing", () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  try {
    for (const type of ["pause", "drain"] as const) {
      const { heed, isPaused } = followed();
      heed({ type, until: new Date(now() + 5_000) });
      mock.timers.tick(4_999);
      assert.equal(isPaused(), true);
      mock.timers.tick(1);
      assert.equal(isPaused(), type === "drain");
    }
  } finally {
    mock.timers.reset();
  }
});

test("whoever follows late hears of a pause too", () => {
  const { heed, follow } = orders();
  heed({ type: "pause", until: null });
  const heard: boolean[] = [];
  follow((paused) => void heard.push(paused));
  assert.deepEqual(heard, [true]);
});

test("messages come again when the last has let go", () => {
  const said: string[] = [];
  const { hold, letGo } = brakes({
    pause: async () => void said.push("pause"),
    resume: () => void said.push("resume"),
  });
  void hold("one");
  void hold("other");
  letGo("one");
  assert.deepEqual(said, ["pause", "pause"]);
  letGo("other");
  assert.deepEqual(said, ["pause", "pause", "resume"]);
});
