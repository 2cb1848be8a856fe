// Several servers on the database of a measurement, each a process of its own.

import type { MeasureInput } from "../measure.ts";
import { type BenchServer, benchServer } from "../rest/bench-server.ts";

export interface Servers {
  readonly all: readonly BenchServer[];
  /** What a worker has to know that is to be connected to the nth of them. */
  where(nth: number): { readonly url: string; readonly token: string };
  stop(): Promise<void>;
}

export async function startServers(input: MeasureInput, count: number): Promise<Servers> {
  const all: BenchServer[] = [];
  // One after the other: the first one makes the tables and the token.
  for (let nth = 0; nth < count; nth += 1) {
    const profiles = input.profiles === null ? null : `${input.profiles}-${nth + 1}`;
    all.push(await benchServer({ ...input, profiles }));
  }
  const first = all[0] as BenchServer;
  const connection = await first.connect();
  // Makes the job, and takes no tasks.
  await first.addWorker(connection);
  connection.close();
  return {
    all,
    where(nth) {
      const { port, token } = all[nth % count] as BenchServer;
      return { url: `http://127.0.0.1:${port}`, token };
    },
    stop: async () => void (await Promise.all(all.map((server) => server.stop()))),
  };
}
