import type { Group, Measurement, Targets } from "../../measurement.ts";
import type { Size, Sized } from "../../sizes.ts";
import { bullmq, graphile, graphileBatched, heldBeyond, ours, pgBoss, type Row } from "../rows.ts";

interface Shape {
  readonly concurrency: number;
  /** All of them together, in the order of the thousands that a system does in a second. */
  readonly tasks: Size;
  readonly workers?: number;
  readonly prefetch?: number;
  readonly targets?: Targets;
}

const many: Size = [60_000, 2_000];
const some: Size = [20_000, 1_000];
const few: Size = [8_000, 1_000];

export function drains(sized: Sized): Group[] {
  const row = (who: Row, { concurrency, tasks, workers = 1, prefetch = 0, targets = {} }: Shape): Measurement => ({
    name: `compare-drain-${concurrency}-${who.name}`,
    title: who.title,
    stage: null,
    stores: who.stores,
    file: "compare/measures/drain",
    parameters: {
      ...sized({ tasks, warmUp: [workers * 4_000, 1_000], workers, concurrency, prefetch }),
      ...{ system: who.system, held: heldBeyond(who, prefetch) },
    },
    figures: [
      { key: "tasks", title: "tasks", unit: "/s", targets },
      { key: "held", title: "held beyond concurrency", unit: "", beside: true },
    ],
  });
  return [hundred(row), ten(row), one(row)];
}

type ToRow = (who: Row, shape: Shape) => Measurement;

function hundred(row: ToRow): Group {
  const concurrency = 100;
  const variant = (name: string, words: string): Row => ({
    ...ours,
    name: `leadhand-${name}`,
    title: `**Leadhand**, ${words} (fenced)`,
  });
  const strict: Targets = { sqlite: { atLeast: 45_000 }, postgres: { atLeast: 25_000, goal: 30_000 } };
  const ahead: Targets = { postgres: { atLeast: 36_000 } };
  const raw: Row = { ...variant("raw", "a bare client in place of the SDK"), system: "leadhand-raw" };
  const rawAhead: Row = { ...variant("raw-prefetch", "a bare client, `prefetch: 400`"), system: "leadhand-raw" };
  const rest: Row = { ...variant("rest", "over REST"), system: "leadhand-rest" };
  return {
    name: "compare-drain-100",
    title: "Compared: drain, 100 at a time",
    method:
      "Tasks are there; one worker with a concurrency of 100 does them, or eight of them, each a process. The first thousands warm up and do not count. Where nothing is held beyond concurrency, a task that is not running can be taken by any other worker.",
    measurements: [
      row(ours, { concurrency, tasks: many, targets: strict }),
      row(variant("8", "eight workers"), {
        ...{ concurrency, tasks: many, workers: 8 },
        targets: { sqlite: { atLeast: 38_000 } },
      }),
      row(variant("prefetch", "`prefetch: 400`"), { concurrency, tasks: many, prefetch: 400, targets: ahead }),
      row(raw, { concurrency, tasks: many }),
      row(rawAhead, { concurrency, tasks: many, prefetch: 400 }),
      row(rest, { concurrency, tasks: few }),
      row(bullmq, { concurrency, tasks: some }),
      row(pgBoss, { concurrency, tasks: some }),
      row(graphile, { concurrency, tasks: few }),
      row(graphileBatched, { concurrency, tasks: many }),
    ],
  };
}

function ten(row: ToRow): Group {
  const concurrency = 10;
  return {
    name: "compare-drain-10",
    title: "Compared: drain, 10 at a time",
    method: "As above, with one worker and a concurrency of 10.",
    measurements: [
      row(ours, {
        ...{ concurrency, tasks: some },
        targets: { sqlite: { atLeast: 12_000 }, postgres: { atLeast: 5_500 } },
      }),
      row(bullmq, { concurrency, tasks: some }),
      row(pgBoss, { concurrency, tasks: few }),
      row(graphile, { concurrency, tasks: few }),
    ],
  };
}

function one(row: ToRow): Group {
  const concurrency = 1;
  return {
    name: "compare-drain-1",
    title: "Compared: drain, one at a time",
    method: "As above, with one worker that has a single task in hand: what one round of commit and commit costs.",
    measurements: [
      row(ours, {
        ...{ concurrency, tasks: few },
        targets: { sqlite: { atLeast: 2_200 }, postgres: { atLeast: 1_100 } },
      }),
      row(bullmq, { concurrency, tasks: few }),
      row(pgBoss, { concurrency, tasks: few }),
      row(graphile, { concurrency, tasks: few }),
    ],
  };
}
