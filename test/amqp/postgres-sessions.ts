// Sessions of an operation's own PostgreSQL, as the guide for consumers shows them.

import { after } from "node:test";
import { Pool, type PoolClient } from "pg";
import type { Sessions } from "../../src/sdk/index.ts";
import { freshDatabase, query } from "../fresh-database.ts";

export async function postgresSessions(through: (url: string) => string = (url) => url) {
  const url = await freshDatabase();
  await query(url, "create table embedding (protein text primary key, value integer not null)");
  const pool = new Pool({ connectionString: through(url) });
  pool.on("connect", (client) => client.on("error", () => undefined));
  pool.on("error", () => undefined);
  after(() => pool.end());
  const sessions: Sessions<PoolClient> = {
    async begin() {
      const client = await pool.connect();
      await client.query("begin");
      return client;
    },
    async commit(client) {
      await client.query("commit");
      client.release();
    },
    async rollback(client) {
      await client.query("rollback").finally(() => client.release());
    },
  };
  return {
    ...{ url, sessions: sessions as Sessions },
    /** What everybody else sees. */
    stored: async (): Promise<string[]> => {
      const rows = await query(url, "select protein from embedding order by protein");
      return rows.map((row) => (row as { protein: string }).protein);
    },
    /** Ends the connection under a session, as a server of PostgreSQL does that is restarted. */
    async cut(session: unknown): Promise<void> {
      const { rows } = await (session as PoolClient).query("select pg_backend_pid() as pid");
      await query(url, "select pg_terminate_backend($1, 5000)", [rows[0].pid]);
    },
  };
}

export function insert(session: unknown, protein: string): Promise<unknown> {
  return (session as PoolClient).query("insert into embedding values ($1, 1)", [protein]);
}
