// Runs a command with a real PostgreSQL: `node tools/node.mjs tools/with-postgres.ts -- <command …>`.
//
// The command finds LEADHAND_TEST_DATABASE_URL and, when the instance is private and may be broken at will,
// LEADHAND_TEST_POSTGRES_CTL (see `PostgresControl`) in its environment.

import { NoPostgres } from "./postgres.ts";
import { runCommand } from "./run-command.ts";
import { type TestDatabase, testDatabase } from "./test-database.ts";

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args[0] === "--" ? args.slice(1) : args;
  if (command === undefined) {
    console.error("Usage: node tools/node.mjs tools/with-postgres.ts -- <command …>");
    return 2;
  }
  let interrupted = false;
  const note = () => (interrupted = true);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, note);

  const database = await startOrExplain();
  if (database === undefined) return 2;
  try {
    return interrupted ? 130 : await runCommand([command, ...rest], database.environment);
  } catch (error) {
    console.error(`Cannot run ${command}: ${error instanceof Error ? error.message : error}`);
    return 127;
  } finally {
    await database.stop();
  }
}

async function startOrExplain(): Promise<TestDatabase | undefined> {
  try {
    return await testDatabase();
  } catch (error) {
    if (!(error instanceof NoPostgres)) throw error;
    console.error(error.message);
    return undefined;
  }
}
