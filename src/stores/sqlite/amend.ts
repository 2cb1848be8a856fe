import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import type { JobView, OpenTask } from "../../ports/records.ts";
import {
  type Amended,
  type Amendment,
  type AmendScope,
  type AmendView,
  type Decide,
  rowsMax,
} from "../../ports/store.ts";
import { workerEventInserter } from "./append.ts";
import { auditWriter } from "./audit.ts";
import { commandWriter } from "./commands.ts";
import { childrenFinder, heldFinder } from "./find.ts";
import { keyInserter } from "./keys.ts";
import { markFinder, markWriter } from "./marks.ts";
import { outboxInserter, outboxLooker, outboxRemover } from "./outbox.ts";
import { pauseFinder } from "./pauses.ts";
import { providerFinder, providerWriter } from "./providers.ts";
import { jobReader, workerReader } from "./read-catalog.ts";
import { cardColumns, type OpenValues, openColumns, openTaskOf } from "./rows.ts";
import { query } from "./statement.ts";
import { laneRoom } from "./supply.ts";
import { tokenFinder, tokenWriter } from "./tokens.ts";
import { catalogWriter } from "./write-catalog.ts";
import { taskWriter } from "./write-tasks.ts";

const countWorkers = `
  select count(*)
  from worker_job
  where job = ?`;

const selectPending = `
  select 1
  from lane l
  where l.job = ? and (
    exists (select 1 from open_task o where o.lane = l.id and o.state = 'pending' and o.run_at is null)
    or exists (select 1 from open_task o where o.lane = l.id and o.run_at is not null)
  )
  limit 1`;

const selectOpenTask = `
  select ${cardColumns}, ${openColumns}
  from open_task o
  join task t on t.id = o.id
  where o.id = ?`;

export type Amend = <T>(scope: AmendScope, decide: Decide<T>) => Amended<T>;

export function amend(db: DatabaseSync): Amend {
  const viewOf = amendView(db);
  const familiesOf = familyLooker(db);
  const writeTasks = taskWriter(db);
  const writeCatalog = catalogWriter(db);
  const writeBeside = besideWriter(db);
  const writeProviders = providerWriter(db);
  const writeMarks = markWriter(db);

  return (scope, decide) => {
    let view = viewOf(scope);
    let amendment = decide(view);
    while ("families" in amendment) {
      view = { ...view, families: new Map([...view.families, ...familiesOf(scope, amendment.families)]) };
      amendment = decide(view);
    }
    const tasks = amendment.tasks ?? [];
    assert(
      tasks.every((write) => view.tasks.has(write.next.id)),
      "only tasks of the scope are written",
    );
    assert(
      writeTasks(tasks).every((written) => written),
      "a locked task is written as it was shown",
    );
    writeBeside(amendment);
    writeProviders(amendment);
    writeMarks(scope, view, amendment);
    return { answer: amendment.answer, lanes: writeCatalog(amendment) };
  };
}

function amendView(db: DatabaseSync): (scope: AmendScope) => AmendView {
  const job = jobViewer(db);
  const worker = workerReader(db);
  const openTask = query<OpenValues>(db, selectOpenTask);
  const held = heldFinder(db);
  const isLeft = outboxLooker(db);
  const providers = providerFinder(db);
  const pauses = pauseFinder(db);
  const marks = markFinder(db);
  const room = laneRoom(db);
  const tokens = tokenFinder(db);

  function task(id: string): OpenTask | undefined {
    const values = openTask.get(id);
    return values === undefined ? undefined : openTaskOf(values);
  }

  return ({ jobs = [], workers = [], heldBy = [], parents = [], tasks = [], outbox = [], ...scope }) => ({
    jobs: found(jobs, job),
    workers: found(workers, worker),
    providers: providers(scope),
    tasks: found([...parents, ...tasks, ...held(heldBy, rowsMax)], task),
    outbox: new Set(outbox.filter(isLeft)),
    pauses: pauses(scope.pauses ?? []),
    marks: marks(scope),
    rooms: new Map(
      [...new Set(scope.lanes ?? [])]
        .map((lane) => [lane, room(lane)] as const)
        .filter(([, left]) => left < Number.POSITIVE_INFINITY),
    ),
    tokens: tokens(scope.tokens ?? []),
    families: new Map(),
  });
}

function familyLooker(db: DatabaseSync): (scope: AmendScope, ids: readonly string[]) => [string, boolean][] {
  const children = childrenFinder(db);
  return ({ parents = [], tasks = [] }, ids) => {
    const named = new Set([...parents, ...tasks]);
    // One more than could be named.
    const isOpen = (id: string): boolean => children([id], named.size + 1).some((child) => !named.has(child));
    return ids.map((id) => [id, isOpen(id)]);
  };
}

function jobViewer(db: DatabaseSync): (name: string) => JobView | undefined {
  const job = jobReader(db);
  const workers = query<[number]>(db, countWorkers);
  const pending = query<[number]>(db, selectPending);
  return (name) => {
    const known = job(name);
    if (known === undefined) return undefined;
    return { job: known, workers: workers.get(name)?.[0] ?? 0, pending: pending.get(name) !== undefined };
  };
}

function found<T>(names: readonly string[], look: (name: string) => T | undefined): Map<string, T> {
  const map = new Map<string, T>();
  for (const name of names) {
    const value = map.has(name) ? undefined : look(name);
    if (value !== undefined) map.set(name, value);
  }
  return map;
}

function besideWriter(db: DatabaseSync): (amendment: Amendment<unknown>) => void {
  const addItem = outboxInserter(db);
  const removeItem = outboxRemover(db);
  const addKey = keyInserter(db);
  const addEvent = workerEventInserter(db);
  const writeToken = tokenWriter(db);
  const writeCommand = commandWriter(db);
  const writeEntry = auditWriter(db);

  return ({ outbox = [], outboxDone = [], keys = [], workerEvents = [], tokens = [], commands = [], audit = [] }) => {
    for (const item of outbox) addItem(item);
    for (const id of outboxDone) removeItem(id);
    for (const key of keys) addKey(key);
    for (const event of workerEvents) addEvent(event);
    for (const token of tokens) writeToken(token);
    for (const command of commands) writeCommand(command);
    for (const entry of audit) writeEntry(entry);
  };
}
