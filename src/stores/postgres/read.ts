import type { ClientBase, Pool } from "pg";
import type { Reads } from "../../ports/store-reads.ts";
import { readAlerts } from "./alerts.ts";
import { readAudit } from "./audit.ts";
import { readCommand, readCommands } from "./commands.ts";
import { lend } from "./connections.ts";
import type { Database } from "./database.ts";
import { readLoad } from "./load.ts";
import { patiently } from "./patience.ts";
import { readProvider, readProviders } from "./providers.ts";
import { readNodes } from "./pulse.ts";
import { readCatalog, readDepths, readHoldings, readKey, readWorkerEvents, readWorkers } from "./read-catalog.ts";
import { readChildActivity, readEvents, readHistories, readLogs, readPosition, readTasks } from "./read-tasks.ts";
import { taskList } from "./task-list.ts";
import { readToken, readTokens } from "./tokens.ts";

type Readers = { [K in keyof Reads]: (client: ClientBase, query: Reads[K]["query"]) => Promise<Reads[K]["answer"]> };

const readers: Readers = {
  tasks: (client, { ids }) => readTasks(client, ids),
  taskList,
  events: readEvents,
  logs: readLogs,
  workerEvents: readWorkerEvents,
  alerts: readAlerts,
  catalog: (client, { after }) => readCatalog(client, after),
  workers: (client, { ids }) => readWorkers(client, ids),
  holdings: readHoldings,
  position: readPosition,
  load: readLoad,
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
  childActivity: (client, { parents }) => readChildActivity(client, parents),
};

/** Questions about many rows, which may take a while. */
const long: ReadonlySet<keyof Reads> = new Set<keyof Reads>([
  "taskList",
  "alerts",
  "audit",
  "catalog",
  "depths",
  "histories",
  "providers",
]);

export async function read<K extends keyof Reads>(
  database: Database,
  kind: K,
  query: Reads[K]["query"],
): Promise<Reads[K]["answer"]> {
  const pool = (): Pool => (long.has(kind) ? database.readers : database.lookers);
  return patiently(database, () => lend(pool(), (client) => readers[kind](client, query)));
}
