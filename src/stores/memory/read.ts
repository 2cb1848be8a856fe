import { alertDataOf, alertType } from "../../core/alert.ts";
import type { WorkerEvent } from "../../ports/records.ts";
import { holdingsMax, type Page, type Reads } from "../../ports/store-reads.ts";
import type { StoreSize } from "../../ports/store-size.ts";
import { readAudit } from "./audit.ts";
import { readCommands } from "./commands.ts";
import type { Memory } from "./memory.ts";
import { countToldInFront, isTold } from "./messages.ts";
import { readProvider, readProviders } from "./providers.ts";
import { readNodes } from "./pulse.ts";
import { readCatalog, readDepths, readLoad, readRoomDepths, readWorkers } from "./read-catalog.ts";
import {
  pageOf,
  readChildActivity,
  readEvents,
  readHistories,
  readPositions,
  readTaskList,
  readTaskScan,
  readTasks,
  readWorkDone,
} from "./read-tasks.ts";
import { readFailures, readStatistics } from "./statistics.ts";
import { keyText } from "./submit.ts";
import { readToken, readTokens } from "./tokens.ts";

export function read<K extends keyof Reads>(memory: Memory, kind: K, query: Reads[K]["query"]): Reads[K]["answer"] {
  return readers[kind](memory, query);
}

const readers: { [K in keyof Reads]: (memory: Memory, query: Reads[K]["query"]) => Reads[K]["answer"] } = {
  tasks: (memory, { ids }) => readTasks(memory, ids),
  taskList: readTaskList,
  taskScan: readTaskScan,
  events: readEvents,
  logs: (memory, query) => pageOf(memory.tasks.get(query.task)?.logs ?? [], query),
  workerEvents: (memory, query) =>
    pageOf(
      memory.workerEvents.filter((event) => event.worker === query.worker),
      query,
    ),
  alerts: readAlerts,
  catalog: (memory, { after }) => readCatalog(memory, after),
  workers: (memory, { ids }) => readWorkers(memory, ids),
  holdings: readHoldings,
  workDone: readWorkDone,
  size: readSize,
  positions: readPositions,
  load: readLoad,
  message: (memory, { task }) => isTold(memory, task),
  toldInFront: countToldInFront,
  depths: readDepths,
  key: (memory, query) => memory.keys.get(keyText(query)) ?? null,
  token: readToken,
  tokens: readTokens,
  audit: readAudit,
  commands: readCommands,
  command: (memory, { id }) => memory.commands.get(id) ?? null,
  provider: readProvider,
  providers: readProviders,
  histories: readHistories,
  nodes: readNodes,
  roomDepths: readRoomDepths,
  statistics: readStatistics,
  failures: readFailures,
  childActivity: (memory, { parents }) => readChildActivity(memory, parents),
};

function readSize({ tasks, workers }: Memory): StoreSize {
  const tables = [
    { name: "task", rows: tasks.size, bytes: null },
    { name: "worker", rows: workers.size, bytes: null },
  ];
  return { kind: "memory", version: null, bytes: 0, walBytes: null, tables, migrations: [] };
}

function readHoldings(memory: Memory, { workers }: Reads["holdings"]["query"]): ReadonlyMap<string, number> {
  return new Map(
    workers.flatMap((worker) => {
      const count = memory.held.get(worker)?.size ?? 0;
      return count === 0 ? [] : [[worker, Math.min(count, holdingsMax)]];
    }),
  );
}

function readAlerts(
  memory: Memory,
  { severity, workers, since = 0, ...page }: Reads["alerts"]["query"],
): Page<WorkerEvent> {
  const wanted = memory.workerEvents.filter(
    ({ worker, at, type, data }) =>
      type === alertType &&
      at >= since &&
      (workers === undefined || workers.includes(worker)) &&
      (severity === undefined || data?.startsWith(alertDataOf(severity)) === true),
  );
  return pageOf(wanted.reverse(), page);
}
