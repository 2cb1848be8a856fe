// What the task list asks of the server, one request after the other.

import { type Measured, type MeasureInput, parameter, word } from "../../measure.ts";
import { benchServer, expect } from "../../rest/bench-server.ts";
import { percentile } from "../../statistics.ts";
import { plainFilters, queryKinds } from "../queries.ts";

const limit = 50;
/** The first ones find code that has not run yet. */
const warmUps = 30;

interface TaskPage {
  readonly items: readonly unknown[];
  /** Absent where filters know no cursors. */
  readonly next_cursor?: string | null;
}

export async function measure(input: MeasureInput): Promise<Measured> {
  const asks = parameter(input, "asks");
  const server = await benchServer(input);
  const connection = await server.connect();
  /** The search for them was broken off, to be gone on with. */
  const partly = new Set<string>();

  async function times(queries: readonly string[]): Promise<number[]> {
    const taken: number[] = [];
    // The first round finds pages of the database that nobody has used yet.
    for (let nth = -queries.length; nth < asks; nth += 1) {
      const query = queries[(nth + queries.length) % queries.length] as string;
      const request = server.request("GET", `/v1/tasks?${query}`);
      const startedAt = performance.now();
      const answer = await connection.ask(request);
      if (nth >= 0) taken.push(performance.now() - startedAt);
      const { items, next_cursor } = JSON.parse(expect(answer, 200)) as TaskPage;
      if (items.length < limit && next_cursor != null) partly.add(decodeURIComponent(query));
      else if (items.length === 0) throw new Error(`Nothing was found by ${query}`);
    }
    return taken;
  }

  for (let left = warmUps; left > 0; left -= 1) await connection.ask(server.request("GET", `/v1/tasks?limit=${limit}`));
  const figures: Record<string, number> = {};
  for (const { key, queries } of kindsOf(input)) {
    const taken = await times(queries);
    figures[`${key}P95Ms`] = percentile(taken, 0.95);
    figures[`${key}P50Ms`] = percentile(taken, 0.5);
    figures[`${key}MostMs`] = Math.max(...taken);
  }
  connection.close();
  await server.stop();
  return { figures, notes: [...partly].map((query) => `\`${query}\` was answered in part`) };
}

function kindsOf(input: MeasureInput): { readonly key: string; readonly queries: readonly string[] }[] {
  if (word(input, "language") === "filters")
    return plainFilters.map(({ key, query }) => ({ key, queries: [`${query}&limit=${limit}`] }));
  return queryKinds.map(({ key, queries }) => ({
    key,
    queries: queries(input.facts).map((query) => `q=${encodeURIComponent(query)}&payloads=false&limit=${limit}`),
  }));
}
