// Many long polls that wait at once, each on a connection of its own, and what they cost the server in memory.

import { setTimeout as pause } from "node:timers/promises";
import type { BenchServer } from "./bench-server.ts";
import type { Connection } from "./connection.ts";

export interface Crowd {
  readonly connections: readonly Connection[];
  /** Of the server, from before the connections were there until all of them waited. */
  readonly grownMb: number;
}

/** Longer than any measurement takes. */
export const waitHeader = "Prefer: wait=60\r\n";

/** What earlier requests left behind is collected meanwhile. */
const settleMs = 3_000;

/** `poll` sends the nth request and does not wait for its answer. */
export async function gather(
  server: BenchServer,
  count: number,
  poll: (connection: Connection, nth: number) => void,
): Promise<Crowd> {
  await pause(settleMs);
  const before = server.residentMb();
  const connections: Connection[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const connection = await server.connect();
    poll(connection, nth);
    connections.push(connection);
  }
  await pause(settleMs);
  return { connections, grownMb: server.residentMb() - before };
}
