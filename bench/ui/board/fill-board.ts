// A million tasks of the last seven days. They go through the store's own door, a thousand at a time: submitted, then
// written once more with all that became of them, so every column is as the store fills it.

import { hoursKeptMs, minutesKeptMs } from "../../../src/core/statistics.ts";
import { uuid7 } from "../../../src/core/uuid7.ts";
import { type Tallies, tallies } from "../../../src/engine/tallies.ts";
import type { NewTask, TaskWrite } from "../../../src/ports/records.ts";
import type { Store } from "../../../src/ports/store.ts";
import type { Facts } from "../../measure.ts";
import type { BenchSurroundings } from "../../surroundings.ts";
import { type BoardWorker, makeBoardCrew } from "./board-crew.ts";
import { makeFamilies } from "./board-families.ts";
import { type BoardJob, boardChecksum, jobPicker, makeBoardJobs, pools, rooms } from "./board-jobs.ts";
import { boardLife, type Fate, lifeMsMax } from "./board-life.ts";
import { boardPayload } from "./board-payload.ts";
import { type Chance, chance } from "./chance.ts";

export interface BoardSize {
  readonly tasks: number;
  readonly workers: number;
}

export const boardMs = 7 * 24 * 3_600_000;
const hourMs = 3_600_000;
const tasksEach = 1_000;
/** Open tasks are among the newest tenth, every fifth of it. */
const youngShare = 0.1;
const openPercent = 20;
const familyShare = 1 / 2_500;

export async function fillBoard(store: Store, around: BenchSurroundings, size: BoardSize): Promise<Facts> {
  const by = chance(8);
  const endAt = around.clock.now() - lifeMsMax;
  const jobs = await makeBoardJobs(store, around, endAt - boardMs);
  const crew = await makeBoardCrew(store, around, jobs, by, size.workers);
  const jobOf = new Map(jobs.map(({ lane, name }) => [lane, name]));
  const counting = tallies({ jobOf: (lane) => jobOf.get(lane), onFirst: () => {} });
  const board: Board = {
    jobs,
    crew: crewByPool(crew),
    by,
    pick: jobPicker(jobs),
    retried: new Map(),
    tallies: counting,
    endAt,
    size,
  };
  const families = Math.ceil(size.tasks * familyShare);
  const underWay = new Set<Promise<void>>();
  const samples: Drawn[] = [];
  for (let from = 0; from < size.tasks; from += tasksEach) {
    const drawn = Array.from({ length: Math.min(tasksEach, size.tasks - from) }, (_, index) =>
      draw(board, from + index),
    );
    samples.push(drawn[0] as Drawn);
    const kept = keep(store, drawn, board.tallies, around.clock.now()).finally(() => underWay.delete(kept));
    underWay.add(kept);
    if (underWay.size >= 2) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  const now = around.clock.now();
  await store.statistics.trim({ minutes: now - minutesKeptMs, hours: now - hoursKeptMs, limit: size.tasks });
  const [job] = jobs;
  const children = await makeFamilies(store, job as BoardJob, board.crew[0] as BoardWorker[], { by, endAt, families });
  const [middle, newest] = [samples[samples.length >> 1] as Drawn, samples.at(-1) as Drawn];
  return {
    tasks: size.tasks + families + children,
    workers: size.workers,
    task: middle.task.card.id,
    oldPath: middle.path,
    newPath: newest.path,
    worker: crew.find(({ takes }) => takes)?.id ?? "",
    workerName: crew.find(({ takes }) => takes)?.name ?? "",
  };
}

interface Board {
  readonly jobs: readonly BoardJob[];
  /** Those that take tasks. */
  readonly crew: readonly (readonly BoardWorker[])[];
  readonly by: Chance;
  readonly pick: (by: Chance) => BoardJob;
  /** The last failed task of each job, until somebody tries it again. */
  readonly retried: Map<string, string>;
  /** As a server counts. */
  readonly tallies: Tallies;
  readonly endAt: number;
  readonly size: BoardSize;
}

interface Drawn {
  readonly task: NewTask;
  readonly write: TaskWrite | null;
  readonly job: string;
  readonly path: string;
}

function crewByPool(crew: readonly BoardWorker[]): BoardWorker[][] {
  return Array.from({ length: pools }, (_, pool) => crew.filter((worker) => worker.takes && worker.pool === pool));
}

function draw({ crew, by, pick, retried, endAt, size }: Board, nth: number): Drawn {
  const job = pick(by);
  const room = job.room ?? by.pick(rooms);
  const createdAt = Math.floor(endAt - boardMs * (1 - nth / size.tasks));
  const id = uuid7(createdAt, nth % 4_096, by.bytes(8));
  const { path, text } = boardPayload(by, room, size.tasks);
  const fate = fateOf(by, nth >= size.tasks * (1 - youngShare));
  const retryOf = by.percent(20) ? (retried.get(job.name) ?? null) : null;
  if (retryOf !== null) retried.delete(job.name);
  if (fate.kind === "failed") retried.set(job.name, id);
  const card = {
    id,
    lane: job.lane,
    room,
    priority: by.percent(5) ? 1 + by.below(9) : 0,
    policy: job.policy,
    parent: null,
    retryOf,
    submitter: by.pick(submitters),
    checksum: boardChecksum,
    logs: null,
    createdAt,
  };
  const runAt = fate.kind === "delayed" ? endAt + (2 + by.below(46)) * hourMs : null;
  const task: NewTask = { card, payload: text, runAt };
  const worker = (): string => by.pick(crew[job.pool] as BoardWorker[]).id;
  return { task, write: boardLife({ task, job, path, fate, worker }, by), job: job.name, path };
}

const submitters = ["ada", "grace", "edsger", "barbara", "ci", null] as const;

/** Over all: 92 % completed, 5 % failed, 1 % cancelled and 2 % open. */
function fateOf(by: Chance, isYoung: boolean): Fate {
  if (isYoung && by.percent(openPercent)) {
    const open = by.below(100);
    return { kind: open < 60 ? "ready" : open < 76 ? "delayed" : open < 84 ? "claimed" : "running" };
  }
  const final = by.next() * 98;
  return { kind: final < 92 ? "completed" : final < 97 ? "failed" : "cancelled" };
}

async function keep(store: Store, drawn: readonly Drawn[], tallies: Tallies, now: number): Promise<void> {
  const jobs = [...new Set(drawn.map(({ job }) => job))].map((name) => ({ name, revision: 1 }));
  const tasks = drawn.map(({ task }) => task);
  const [answer] = await store.submit([{ tasks, jobs, key: null, outbox: [] }]);
  if (answer?.kind !== "accepted") throw new Error(`The store refused tasks: ${JSON.stringify(answer)}`);
  const writes = drawn.flatMap(({ write }) => write ?? []);
  const { written } = await store.exchange(writes, [], now);
  if (written.includes(false)) throw new Error("The store held a write back");
  tallies.submitted(
    tasks.map(({ card }) => card),
    tasks.map(({ runAt }) => runAt),
  );
  for (const { task, write } of drawn) if (write !== null) tallies.moved(task.card, write);
  await store.statistics.add(tallies.take());
}
