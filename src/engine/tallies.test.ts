import assert from "node:assert/strict";
import { test } from "node:test";
import { otherRooms } from "../core/statistics.ts";
import { aTask, taskId } from "../testing/builders.ts";
import { worldStart } from "../testing/manual-clock.ts";
import { tallies } from "./tallies.ts";

test("where every task has a room of its own, those that are too many to tell apart are counted together", () => {
  const counts = tallies({ jobOf: (lane) => `job ${lane}`, onFirst: () => undefined });
  const [tasks, lanes] = [20_000, 2];
  const submit = (nth: number, room: string): void => {
    const { card } = aTask({ id: taskId(nth), lane: nth % lanes });
    counts.submitted([{ ...card, room, createdAt: worldStart }], [null]);
  };
  for (let nth = 0; nth < tasks; nth += 1) submit(nth, `room ${nth}`);
  submit(0, "room 0");
  const { statistics } = counts.take();
  assert.equal(statistics.length, 5_000 + lanes);
  const sum = statistics.reduce((all, { submitted }) => all + submitted, 0);
  assert.equal(sum, tasks + 1, "nothing is lost");
  assert.equal(statistics.find(({ room }) => room === "room 0")?.submitted, 2, "a known room stays itself");
  const others = statistics.filter(({ room }) => room === otherRooms);
  assert.deepEqual(
    others.map(({ job, submitted }) => [job, submitted]),
    [
      ["job 0", 7_500],
      ["job 1", 7_500],
    ],
  );
  submit(1, "room 1");
  assert.equal(counts.take().statistics[0]?.room, "room 1", "and what was taken makes room");
});
