// One PgBouncer for the tests of a file, before the PostgreSQL that tests have.

import { after } from "node:test";
import { havePgBouncer, howToGetPgBouncer, type PgBouncer, startPgBouncer } from "../../tools/pgbouncer.ts";
import { postgresUrl } from "../fresh-database.ts";

const missing = postgresUrl === undefined ? "LEADHAND_TEST_DATABASE_URL is not set" : noPooler();

/** The option of a test that needs a pooler. */
export const withPooler = { skip: missing };

let starting: Promise<PgBouncer> | null = null;
after(async () => (await starting)?.stop());

export function pooled(): Promise<PgBouncer> {
  starting ??= startPgBouncer({ url: postgresUrl ?? "", poolSize: 6 });
  return starting;
}

function noPooler(): string | false {
  return havePgBouncer() ? false : howToGetPgBouncer;
}
