import type { ClientBase, Pool } from "pg";
import type { Reads } from "../../ports/store-reads.ts";
import { readAlerts } from "./alerts.ts";
import { readAudit } from "./audit.ts";
import { readCommand, readCommands } from "./commands.ts";
import { lend } from "./connections.ts";
import type { Database } from "./database.ts";
import { readLoad } from "./load.ts";
import { readMessage, readToldInFront } from "./messages.ts";
import { patiently } from "./patience.ts";
import { readProvider, readProviders } from "./providers.ts";
import { readNodes } from "./pulse.ts";
import {
  readCatalog,
  readDepths,
  readHoldings,
  readKey,
  readRoomDepths,
  readWorkDone,
  readWorkerEvents,
  readWorkers,
} from "./read-catalog.ts";
import { readFailures, readStatistics } from "./read-statistics.ts";
import { readChildActivity, readEvents, readHistories, readLogs, readPositions, readTasks } from "./read-tasks.ts";
import { readSize } from "./size.ts";
import { taskList } from "./task-list.ts";
import { taskScan } from "./task-scan.ts";
import { readToken, readTokens } from "./tokens.ts";

type Readers = { [K in keyof Reads]: (client: ClientBase, query: Reads[K]["query"]) => Promise<Reads[K]["answer"]> };

const readers: Readers = {
  tasks: (client, { ids }) => readTasks(client, ids),
  taskList,
  taskScan,
  events: readEvents,
  logs: readLogs,
  workerEvents: readWorkerEvents,
  alerts: readAlerts,
  catalog: (client, { after }) => readCatalog(client, after),
  workers: (client, { ids }) => readWorkers(client, ids),
  holdings: readHoldings,
  workDone: readWorkDone,
  size: readSize,
  positions: readPositions,
  load: readLoad,
  message: readMessage,
  toldInFront: readToldInFront,
  depths: readDepths,
  key: readKey,
  token: readToken,
  tokens: readTokens,
  audit: readAudit,
  commands: readCommands,
  command: readCommand,
  provider: readProvider,
  providers: readProviders,
  histories: readHistories,
  nodes: readNodes,
  statistics: readStatistics,
  failures: readFailures,
  roomDepths: readRoomDepths,
  childActivity: (client, { parents }) => readChildActivity(client, parents),
};

/** Questions about many rows, which may take a while. */
const long: ReadonlySet<keyof Reads> = new Set<keyof Reads>([
  "taskList",
  "taskScan",
  "alerts",
  "audit",
  "catalog",
  "depths",
  "size",
  "histories",
  "providers",
  "statistics",
  "failures",
  "roomDepths",
]);

/** What has changed of the catalog is little, and pauses and drains count from when it is known: it waits for no long answer. */
function isLong<K extends keyof Reads>(kind: K, query: Reads[K]["query"]): boolean {
  return long.has(kind) && !(kind === "catalog" && (query as Reads["catalog"]["query"]).after > 0);
}

export async function read<K extends keyof Reads>(
  database: Database,
  kind: K,
  query: Reads[K]["query"],
): Promise<Reads[K]["answer"]> {
  const pool = (): Pool => (isLong(kind, query) ? database.readers : database.lookers);
  return patiently(database, () => lend(pool(), (client) => readers[kind](client, query)));
}
