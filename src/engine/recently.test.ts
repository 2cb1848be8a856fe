import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../testing/manual-clock.ts";
import { recently } from "./recently.ts";

test("the same question is asked once in a while, another at once, and one that failed again", async () => {
  const clock = manualClock();
  const asked = recently<number>({ clock, ms: 1_000 });
  let times = 0;
  const ask = async () => ++times;
  assert.deepEqual(await Promise.all([asked("a", ask), asked("a", ask), asked("b", ask)]), [1, 1, 2]);
  clock.advance(999);
  assert.equal(await asked("a", ask), 1);
  clock.advance(1);
  assert.equal(await asked("a", ask), 3);
  await assert.rejects(
    asked("c", () => Promise.reject(new Error("away"))),
    /away/,
  );
  assert.equal(await asked("c", ask), 4);
});

test("only so many answers are remembered", async () => {
  const asked = recently<number>({ clock: manualClock(), ms: 1_000 });
  for (let n = 0; n <= 100; n += 1) await asked(`${n}`, async () => n);
  assert.equal(await asked("100", async () => -1), 100);
  assert.equal(await asked("0", async () => -1), -1);
});

test("an answer that takes longer than it is kept is waited for by all, and kept from then on", async () => {
  const clock = manualClock();
  let asked = 0;
  const answers: ((text: string) => void)[] = [];
  const recent = recently<string>({ clock, ms: 1_000 });
  const ask = () =>
    recent("a", () => {
      asked += 1;
      return new Promise((resolve) => answers.push(resolve));
    });
  const first = ask();
  clock.advance(5_000);
  const second = ask();
  answers[0]?.("slow");
  assert.deepEqual(await Promise.all([first, second]), ["slow", "slow"]);
  clock.advance(999);
  assert.equal(await ask(), "slow");
  assert.equal(asked, 1);
});
