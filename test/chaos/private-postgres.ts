// A PostgreSQL of a test file's own, that may be broken at will; each test gets a schema in it.

import pg from "pg";
import { NoPostgres, type Postgres, type PostgresOptions, startPostgres } from "../../tools/postgres.ts";

export interface PrivatePostgres {
  readonly postgres: Postgres;
  /** A name for a schema that no other test has. */
  schema(): string;
  query<R extends object>(text: string, values?: unknown[]): Promise<R[]>;
}

/** Undefined where there is no PostgreSQL. Whoever starts one stops it. */
export async function privatePostgres(
  settings: PostgresOptions["settings"] = {},
): Promise<PrivatePostgres | undefined> {
  const postgres = await startOrNot({ settings });
  if (postgres === undefined) return undefined;
  let schemas = 0;
  return {
    postgres,
    schema() {
      schemas += 1;
      return `chaos_${schemas}`;
    },
    query: (text, values) => query(postgres.url, text, values),
  };
}

async function startOrNot(options: PostgresOptions): Promise<Postgres | undefined> {
  try {
    return await startPostgres(options);
  } catch (error) {
    if (!(error instanceof NoPostgres)) throw error;
    return undefined;
  }
}

export async function query<R extends object>(url: string, text: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}
