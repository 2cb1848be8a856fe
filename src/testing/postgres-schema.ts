// Schemas for tests on a PostgreSQL that many tests share. Making one takes longer than most tests, so those that need
// no new one pass them on, emptied.

import { Client } from "pg";
import { realSurroundings } from "./real-surroundings.ts";

const { ids } = realSurroundings();

export interface PostgresSchema {
  readonly name: string;
  /** Runs statements of the test's own in the schema. */
  query<R extends object>(text: string, values?: unknown[]): Promise<R[]>;
  /** Leaves the schema as it was when the store had just made it. */
  empty(): Promise<void>;
  drop(): Promise<void>;
}

export function postgresSchema(url: string): PostgresSchema {
  const name = `leadhand_test_${ids.next().replaceAll("-", "")}`;
  const on = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const options = `-c search_path=${name} -c client_min_messages=warning`;
    const client = new Client({ connectionString: url, options });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  return {
    name,
    query: (text, values) => on(async (client) => (await client.query(text, values)).rows),
    empty: () => on(empty),
    drop: () => on(async (client) => void (await client.query(`drop schema if exists ${name} cascade`))),
  };
}

export interface PostgresSchemas {
  take(): PostgresSchema;
  giveBack(schema: PostgresSchema): Promise<void>;
  dropAll(): Promise<void>;
}

/** Schemas that are used again. */
export function postgresSchemas(url: string): PostgresSchemas {
  const made: PostgresSchema[] = [];
  const free: PostgresSchema[] = [];
  return {
    take() {
      const schema = free.pop() ?? postgresSchema(url);
      if (!made.includes(schema)) made.push(schema);
      return schema;
    },
    async giveBack(schema) {
      await schema.empty();
      free.push(schema);
    },
    async dropAll() {
      for (const schema of made) await schema.drop();
    },
  };
}

async function empty(client: Client): Promise<void> {
  const { rows } = await client.query<{ deletes: string | null }>(`
    select string_agg(format('delete from %I', c.relname), ';') as deletes
    from pg_class c
    where c.relnamespace = current_schema::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
      and c.relname not in ('migration', 'meta')`);
  const deletes = rows[0]?.deletes ?? null;
  if (deletes !== null) await client.query(`begin; ${deletes}; update meta set catalog = 0; commit`);
}
