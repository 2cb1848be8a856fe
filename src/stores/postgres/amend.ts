import assert from "node:assert/strict";
import type { ClientBase } from "pg";
import type { OpenTask, TaskWrite } from "../../ports/records.ts";
import {
  type Amended,
  type Amendment,
  type AmendScope,
  type AmendView,
  type Decide,
  type Question,
  rowsMax,
} from "../../ports/store.ts";
import { plainArray, sortedIds, sortedTexts, textArray } from "./arrays.ts";
import { type JobTuple, jobColumns, jobOf, type WorkerTuple, workerColumns, workerOf } from "./catalog-rows.ts";
import { lend } from "./connections.ts";
import type { Database } from "./database.ts";
import { lockedRooms } from "./lane-rooms.ts";
import { lockedMarks, writeMarks } from "./marks.ts";
import { patiently } from "./patience.ts";
import { lockedPauses } from "./pauses.ts";
import { lockedProviders, writeProviders } from "./providers.ts";
import { type CardTuple, cardColumns, cardOf, openColumns, type RowTuple, rowOf } from "./rows.ts";
import { type Settled, settle } from "./settle.ts";
import { ask, type Statement } from "./statement.ts";
import { lockedTokens } from "./tokens.ts";
import { transact } from "./transact.ts";
import { writeBeside } from "./write-beside.ts";
import { writeCatalog } from "./write-catalog.ts";

// What is counted is read after the locks are held: a statement that waits for a lock sees the rest as it was before.

// A job that does not exist yet has no row to lock, so its name is locked: whoever brings it next sees what the first
// has made of it. The row's own lock keeps out submits, which hold it while they insert.
const lockJobNames: Statement = {
  name: "lock_job_names",
  text: `
    select pg_advisory_xact_lock(hashtextextended('leadhand job ' || current_schema() || ' ' || n.name, 0))
    from unnest($1::text[]) with ordinality n (name, nth)
    order by n.nth`,
};

const lockJobs: Statement = {
  name: "lock_jobs",
  text: `
    select j.name
    from unnest($1::text[]) with ordinality n (name, nth)
    join job j on j.name = n.name
    order by n.nth
    for update of j`,
};

const selectJobs: Statement = {
  name: "select_jobs",
  text: `
    select
      ${jobColumns},
      (select count(*) from worker_job w where w.job = j.name),
      exists (
        select
        from lane l
        where l.job = j.name
          and (
            exists (select from open_task o where o.lane = l.id and o.state = 'pending' and o.run_at is null)
            or exists (select from open_task o where o.lane = l.id and o.run_at is not null)
          )
      )
    from unnest($1::text[]) n (name)
    join job j on j.name = n.name`,
};

const lockWorkers: Statement = {
  name: "lock_workers",
  text: `
    select w.id
    from unnest($1::text[]) with ordinality n (id, nth)
    join worker w on w.id = n.id
    join session s on s.worker = n.id
    order by n.nth
    for update of w, s`,
};

const selectWorkers: Statement = {
  name: "select_workers",
  text: `
    select ${workerColumns}
    from unnest($1::text[]) n (id)
    join worker w on w.id = n.id
    join session s on s.worker = w.id`,
};

// In the order of numbers, not of ids: otherwise all tasks would be walked through, which are in that order (plans.test.ts).
const lockTasks: Statement = {
  name: "lock_tasks",
  text: `
    with found as materialized (
      select o.id
      from open_task o
      where o.worker = any ($1::text[])
    ),
    held as (
      select id
      from found
      order by id
      limit $2
    ),
    named as materialized (
      select id, row_number() over (order by id) as nth
      from (
        select id from held
        union
        select unnest($3::uuid[])
      ) every
    )
    select ${cardColumns}, ${openColumns}
    from named n
    join open_task o on o.id = n.id
    join task t on t.id = n.id
    order by n.nth
    for update of o`,
};

const lockOutbox: Statement = {
  name: "lock_outbox",
  text: `
    select b.id
    from unnest($1::text[]) with ordinality n (id, nth)
    join outbox b on b.id = n.id
    order by n.nth
    for update of b`,
};

// Whoever adds a child locks its parent, so what is found stands for as long as the parent's lock is held.
const selectFamilies: Statement = {
  name: "select_families",
  text: `
    select
      f.id,
      exists (
        select
        from open_task o
        where o.parent = f.id
          and o.id <> all ($2::uuid[])
      )
    from unnest($1::uuid[]) f (id)`,
};

export async function amend<T>(database: Database, scope: AmendScope, decide: Decide<T>): Promise<Amended<T>> {
  const keysAlone = isEmpty(scope) ? onlyKeys(decide(nothingLocked)) : null;
  if (keysAlone !== null) {
    // One statement, committed by itself, which may safely be made twice.
    await patiently(database, () => lend(database.writers, (client) => writeBeside(client, keysAlone)));
    return { answer: keysAlone.answer, lanes: [] };
  }
  const { amended, learn } = await transact(database, async (client) => {
    let view = await viewOf(client, scope);
    let amendment = decide(view);
    while ("families" in amendment) {
      view = { ...view, families: new Map([...view.families, ...(await readFamilies(client, scope, amendment))]) };
      amendment = decide(view);
    }
    const [learn, lanes] = await Promise.all([
      writeTasks(database, client, view, amendment.tasks ?? []),
      writeCatalog(database, client, amendment),
      writeBeside(client, amendment),
      writeProviders(client, amendment),
      writeMarks(client, scope, view, amendment),
    ]);
    return { amended: { answer: amendment.answer, lanes }, learn };
  });
  learn?.();
  return amended;
}

const nothingLocked: AmendView = {
  ...{ jobs: new Map(), workers: new Map(), providers: new Map(), tasks: new Map(), outbox: new Set() },
  ...{ pauses: new Map(), marks: new Map(), rooms: new Map(), tokens: new Map() },
  families: new Map(),
};

function isEmpty(lists: object): boolean {
  return Object.values(lists).every((list) => list === undefined || list.length === 0);
}

function onlyKeys<T>(decided: Amendment<T> | Question): Amendment<T> | null {
  if ("families" in decided) return null;
  const { answer: _, keys: __, ...rest } = decided;
  return isEmpty(rest) ? decided : null;
}

/**
 * All locks are asked for at once; the database takes them in the order in which they are sent. Parents are older than
 * their children, so in order of id they come first: one order for all tasks, in which nobody waits in a circle.
 */
async function viewOf(client: ClientBase, scope: AmendScope): Promise<AmendView> {
  const [jobs, workers, providers, tasks, rooms, outbox, pauses, marks, tokens] = await Promise.all([
    readJobs(client, sortedTexts(scope.jobs ?? [])),
    readWorkers(client, sortedTexts(scope.workers ?? [])),
    lockedProviders(client, scope),
    readTasks(client, scope.heldBy ?? [], sortedIds([...(scope.parents ?? []), ...(scope.tasks ?? [])])),
    lockedRooms(client, scope.lanes ?? []),
    readOutbox(client, sortedTexts(scope.outbox ?? [])),
    lockedPauses(client, scope.pauses ?? []),
    lockedMarks(client, scope),
    lockedTokens(client, scope.tokens ?? []),
  ]);
  return { jobs, workers, providers, tasks, rooms, outbox, pauses, marks, tokens, families: new Map() };
}

async function readJobs(client: ClientBase, names: readonly string[]): Promise<AmendView["jobs"]> {
  if (names.length === 0) return new Map();
  const values = [textArray(names)];
  type Tuple = [...JobTuple, workers: number, pending: boolean];
  const [, , rows] = await Promise.all([
    ask(client, lockJobNames, values),
    ask(client, lockJobs, values),
    ask<Tuple>(client, selectJobs, values),
  ]);
  return new Map(
    rows.map((row) => {
      const [workers, pending] = row.slice(-2) as [number, boolean];
      const job = jobOf(row.slice(0, -2) as unknown as JobTuple);
      return [job.name, { job, workers, pending }];
    }),
  );
}

async function readWorkers(client: ClientBase, ids: readonly string[]): Promise<AmendView["workers"]> {
  if (ids.length === 0) return new Map();
  const values = [textArray(ids)];
  const [, rows] = await Promise.all([
    ask(client, lockWorkers, values),
    ask<WorkerTuple>(client, selectWorkers, values),
  ]);
  return new Map(rows.map(workerOf).map((worker) => [worker.id, worker]));
}

async function readTasks(
  client: ClientBase,
  heldBy: readonly string[],
  ids: readonly string[],
): Promise<AmendView["tasks"]> {
  if (heldBy.length + ids.length === 0) return new Map();
  const values = [textArray(heldBy), rowsMax, plainArray(ids)];
  const rows = await ask<[...CardTuple, ...RowTuple]>(client, lockTasks, values);
  const tasks = rows.map((row): OpenTask => {
    const card = cardOf(row.slice(0, 11) as unknown as CardTuple);
    return { card, row: rowOf(card.id, row.slice(11) as unknown as RowTuple) };
  });
  // One that went into other hands while we waited for its lock is held by those workers no more.
  const [named, holders] = [new Set(ids), new Set(heldBy)];
  const isMeant = ({ row }: OpenTask) => named.has(row.id) || (row.worker !== null && holders.has(row.worker));
  return new Map(tasks.filter(isMeant).map((task) => [task.row.id, task]));
}

async function readOutbox(client: ClientBase, ids: readonly string[]): Promise<AmendView["outbox"]> {
  if (ids.length === 0) return new Set();
  const rows = await ask<[id: string]>(client, lockOutbox, [textArray(ids)]);
  return new Set(rows.map(([id]) => id));
}

function readFamilies(
  client: ClientBase,
  { parents = [], tasks = [] }: AmendScope,
  { families }: Question,
): Promise<[id: string, open: boolean][]> {
  const named = sortedIds([...parents, ...tasks]);
  return ask(client, selectFamilies, [plainArray(sortedIds(families)), plainArray(named)]);
}

async function writeTasks(
  database: Database,
  client: ClientBase,
  view: AmendView,
  writes: readonly TaskWrite[],
): Promise<Settled["learn"] | null> {
  assert(
    writes.every(({ next }) => view.tasks.has(next.id)),
    "only tasks of the scope are written",
  );
  if (writes.length === 0) return null;
  const { count, learn } = await settle(database, client, writes);
  assert(count === writes.length, "a locked task is written as it was shown");
  return learn;
}
