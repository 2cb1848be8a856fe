// Coordinators that wait for their children: two of four are done, the others wait themselves.

import { uuid7 } from "../../../src/core/uuid7.ts";
import type { NewTask, TaskWrite } from "../../../src/ports/records.ts";
import type { Store } from "../../../src/ports/store.ts";
import type { BoardWorker } from "./board-crew.ts";
import { type BoardJob, boardChecksum, rooms } from "./board-jobs.ts";
import { boardLife, lifeOf } from "./board-life.ts";
import { boardPayload } from "./board-payload.ts";
import type { Chance } from "./chance.ts";

const childrenEach = 4;
const doneEach = 2;
/** Coordinators began within the last day. */
const withinMs = 24 * 3_600_000;

interface Circumstances {
  readonly by: Chance;
  readonly endAt: number;
  readonly families: number;
}

/** Answers how many children there are. */
export async function makeFamilies(
  store: Store,
  job: BoardJob,
  crew: readonly BoardWorker[],
  { by, endAt, families }: Circumstances,
): Promise<number> {
  const worker = (): string => by.pick(crew).id;
  const parents = Array.from({ length: families }, () => newTask(by, job, endAt - by.below(withinMs), null));
  await submit(store, job, parents);
  const deferred = parents.map((parent): TaskWrite => {
    const life = lifeOf(parent, job, by);
    life.move({ type: "assign", worker: worker() });
    life.pass(100);
    life.move({ type: "defer", total: childrenEach });
    for (let nth = 0; nth < doneEach; nth += 1) {
      life.pass(5_000);
      life.move({ type: "count", done: 1, failed: 0 });
    }
    return life.write();
  });
  const born = parents.map(({ card }) =>
    Array.from({ length: childrenEach }, () => newTask(by, job, card.createdAt + 50, card.id)),
  );
  await submit(store, job, born.flat());
  const done = born.flatMap((children) =>
    children.slice(0, doneEach).flatMap((task) => {
      return boardLife({ task, job, path: "/archive/part", fate: { kind: "completed" }, worker }, by) ?? [];
    }),
  );
  await store.exchange([...deferred, ...done], [], endAt);
  return born.flat().length;
}

function newTask(by: Chance, job: BoardJob, createdAt: number, parent: string | null): NewTask {
  const room = job.room ?? rooms[0];
  const card = {
    id: uuid7(createdAt, by.below(4_096), by.bytes(8)),
    lane: job.lane,
    room,
    priority: 0,
    policy: job.policy,
    parent,
    retryOf: null,
    submitter: "ada",
    checksum: boardChecksum,
    logs: null,
    createdAt,
  };
  return { card, payload: boardPayload(by, room, 1_000).text, runAt: null };
}

async function submit(store: Store, { name }: BoardJob, tasks: readonly NewTask[]): Promise<void> {
  const [answer] = await store.submit([{ tasks, jobs: [{ name, revision: 1 }], key: null, outbox: [] }]);
  if (answer?.kind !== "accepted") throw new Error(`The store refused a family: ${JSON.stringify(answer)}`);
}
