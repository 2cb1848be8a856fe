// The end of a run: everybody stops, and the database and the broker are compared with what was promised.

import assert from "node:assert/strict";
import { isFinal } from "../../../src/core/task-row.ts";
import type { HistoryRecord } from "../../../src/ports/store-reads.ts";
import { lookIntoDatabase } from "../../../src/server/look-into-database.ts";
import { allHistories } from "../../../src/testing/ledger.ts";
import { recordedLog } from "../../../src/testing/recorded-log.ts";
import { until } from "../../../src/testing/until.ts";
import { told } from "../fleet/judges.ts";
import type { Expected } from "./load.ts";
import type { Stage } from "./stage.ts";
import { queueMap } from "./words.ts";

const shownMax = 5;

/** Answers how many tasks there were, and how often each kind of event that tells of trouble. */
export async function settleAccounts(stage: Stage): Promise<ReadonlyMap<string, number>> {
  const { crew, server, broker, load, dead } = stage;
  assert.deepEqual(crew.faults, []);
  // Copies of what has ended long ago may still wait.
  for (const queue of Object.keys(queueMap))
    await until(`${queue} is empty`, async () => ((await broker.depth(queue)) ?? 0) === 0, 30_000);
  assert.deepEqual(
    await Promise.all(crew.all.map((consumer) => consumer.stop())),
    crew.all.map(() => 0),
  );
  // What a consumer still had in hand goes back into its queue when it ends.
  for (const queue of Object.keys(queueMap)) assert.equal((await broker.depth(queue)) ?? 0, 0, `${queue} is empty`);
  await dead.judge([], []);
  assert.equal(await server.stop(), 0, server.log().slice(-2_000));
  const { code, out, err } = await server.command("verify");
  assert.equal(code, 0, out + err);
  const look = await lookIntoDatabase(server.database, recordedLog());
  try {
    const histories = await allHistories(look);
    assert.deepEqual(load.accepted.flatMap((each) => faultsOf(each, histories.get(each.id))).slice(0, shownMax), []);
    assert.equal(histories.size, load.accepted.length, "every task was submitted once");
    const ran = new Set(crew.said.filter((said) => said.ran === "write").map(({ mark, nth }) => `${mark} ${nth}`));
    assert.deepEqual(load.accepted.flatMap((each) => unwritten(each, ran)).slice(0, shownMax), []);
    return troubles(histories.values());
  } finally {
    await look.close();
  }
}

function faultsOf({ id, status }: Expected, record: HistoryRecord | undefined): string[] {
  if (record === undefined) return [`task ${id} was accepted and is lost`];
  const ends = record.events.filter(({ state }) => isFinal(state)).length;
  const isRight = ends === 1 && record.task.row.state === status;
  return isRight ? [] : [`task ${id} has ${ends} ends and is ${record.task.row.state}: ${told(record.events)}`];
}

/** A part that counts as done has been done. */
function unwritten({ id, payload }: Expected, ran: ReadonlySet<string>): string[] {
  if (!("parts" in payload)) return [];
  return payload.parts
    .filter(({ failAt, mark, nth }) => failAt !== "batch" && !ran.has(`${mark} ${nth}`))
    .map(({ nth }) => `part ${nth} of ${id} was never written`);
}

function troubles(histories: Iterable<HistoryRecord>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const { task, events } of histories) {
    add(task.row.state);
    for (const { type } of events) if (/lost|released|republished/.test(type)) add(type);
  }
  return counts;
}
