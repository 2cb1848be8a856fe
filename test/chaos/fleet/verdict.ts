// All judges over one run: the database as it is in the end, against everything that anyone was told, did and broke.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { allHistories, ledgerFaults } from "../../../src/testing/ledger.ts";
import type { PrivatePostgres } from "../private-postgres.ts";
import type { Crew } from "./crew.ts";
import { type Excuse, excuseOf } from "./excuses.ts";
import type { Faults } from "./faults.ts";
import { doubledFaults, type Histories, livingLostFaults, orderFaults, outcomeFaults } from "./judges.ts";
import type { Load } from "./load.ts";
import { stuckMs, windowMs } from "./servers.ts";
import { lookingInto } from "./stage.ts";
import { jobs } from "./words.ts";

export interface Evidence {
  readonly own: PrivatePostgres;
  readonly workers: Crew;
  readonly load: Load;
  readonly faults: Faults;
}

const shownMax = 10;

export async function verdict(t: TestContext, evidence: Evidence, phase: (what: string) => void): Promise<void> {
  const { own, workers, load, faults } = evidence;
  await lookingInto(own, async (look) => {
    const histories = await allHistories(look);
    phase("the database was read again");
    summary(t, histories, faults);
    const { lanes } = await look.read("catalog", { after: 0 });
    const excused = excusedBlocks(
      histories,
      new Set(lanes.filter(({ job }) => job === jobs.block).map(({ id }) => id)),
      evidence,
    );
    t.diagnostic(`blocks that failed for a reason: ${counted([...excused.values()])}`);
    const found = {
      ledger: await ledgerFaults(load.accepted, look),
      outcomes: outcomeFaults(histories, ({ task }) => excused.has(task.card.id)),
      "lost while alive": livingLostFaults(histories, workers.heard, windowMs),
      doubled: doubledFaults(workers.began),
      order: orderFaults(histories, {
        ...{ accepted: load.accepted, faults: faults.record, slackMs: 1_000, passedOverMaxMs: 15_000 },
      }),
    };
    const counts = Object.entries(found).map(([name, list]) => `${name} ${list.length}`);
    t.diagnostic(`faults found: ${counts.join(", ")}`);
    assert.deepEqual(
      Object.values(found).flatMap((list) => list.slice(0, shownMax)),
      [],
    );
  });
}

/** Those in these lanes that failed, each with what excuses it. */
function excusedBlocks(
  histories: Histories,
  lanes: ReadonlySet<number>,
  { workers: crew, faults: { record: faults } }: Evidence,
): ReadonlyMap<string, Excuse> {
  const failed = [...histories.values()].filter(({ task }) => lanes.has(task.card.lane) && task.row.state === "failed");
  return new Map(
    failed.flatMap((record): [string, Excuse][] => {
      const excuse = excuseOf(record, { crew, faults, windowMs, stuckMs });
      return excuse === null ? [] : [[record.task.card.id, excuse]];
    }),
  );
}

function summary(t: TestContext, histories: Histories, { record }: Faults): void {
  const moves = [...histories.values()].flatMap(({ task, events }) => [
    task.row.state,
    ...events.map(({ type }) => type).filter((type) => /lost|released|retried|timed_out/.test(type)),
  ]);
  t.diagnostic(`${histories.size} tasks: ${counted(moves)}`);
  t.diagnostic(`${record.length} faults: ${counted(record.map(({ name }) => name))}`);
}

function counted(words: readonly string[]): string {
  const groups = [...Map.groupBy(words, (word) => word)];
  return groups.length === 0 ? "none" : groups.map(([word, list]) => `${word} ${list.length}`).join(", ");
}
