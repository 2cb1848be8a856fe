// Databases of a test's own on the PostgreSQL that tests have; they go with the test file.

import { after } from "node:test";
import { Client } from "pg";
import { environmentVariable } from "../src/server/config.ts";
import { systemClock, systemIds } from "../src/server/system.ts";

export const postgresUrl = environmentVariable("LEADHAND_TEST_DATABASE_URL");

/** The option of a test that needs PostgreSQL. */
export const withPostgres = { skip: postgresUrl === undefined && "LEADHAND_TEST_DATABASE_URL is not set" };

const made: string[] = [];
after(async () => {
  for (const name of made) await query(postgresUrl as string, `drop database if exists ${name} with (force)`);
});

/** Answers the URL of a new database: an empty one, or a copy of the one at `of`, which nobody may be using. */
export async function freshDatabase(of?: string): Promise<string> {
  const name = `leadhand_${systemIds(systemClock()).next().replaceAll("-", "")}`;
  const template = of === undefined ? "" : ` template ${new URL(of).pathname.slice(1)}`;
  await query(postgresUrl as string, `create database ${name}${template}`);
  made.push(name);
  const url = new URL(postgresUrl as string);
  url.pathname = `/${name}`;
  return url.href;
}

export async function query(url: string, sql: string, values: readonly unknown[] = []): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}
