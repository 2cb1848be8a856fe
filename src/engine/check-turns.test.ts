import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../core/access.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { checkTurns } from "./check-turns.ts";

const who = (user: string): Principal => ({ user, role: "viewer", rooms: null, jobs: null, token: user });
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("checks are made one at a time and by turns, and whatever else has come is heard between two of them", async () => {
  const inTurn = checkTurns({ clock: manualClock() });
  const heard: string[] = [];
  const ask = (user: string) => inTurn(who(user), () => heard.push(user));
  const asked = ["ada", "ada", "ada", "bob"].map(ask);
  for (let round = 0; round < 3; round += 1) {
    await turn();
    heard.push("others");
  }
  await Promise.all(asked);
  assert.deepEqual(heard.slice(0, 6), ["ada", "others", "ada", "others", "bob", "others"]);
  assert.equal(heard.length, 7);
});

test("after a long check the processor is others' for as long as it took, and its answer waits for nothing", async () => {
  const clock = manualClock();
  const inTurn = checkTurns({ clock });
  let made = 0;
  const long = () => {
    clock.advance(300);
    made += 1;
  };
  const [first, second] = [inTurn(who("ada"), long), inTurn(who("bob"), long)];
  await first;
  clock.advance(299);
  for (let n = 0; n < 5; n += 1) await turn();
  assert.equal(made, 1);
  clock.advance(1);
  await second;
  assert.equal(made, 2);
});

test("who has too many that wait is told to come again, and nobody else", async () => {
  const inTurn = checkTurns({ clock: manualClock() });
  const ask = (user: string) => inTurn(who(user), () => user);
  const asked = Array.from({ length: 21 }, () => ask("ada"));
  await assert.rejects(ask("ada"), { code: "rate-limited", retryAfterSeconds: 1 });
  assert.equal(await ask("bob"), "bob");
  await Promise.all(asked);
});
