// Runs a command with a real PostgreSQL: `node tools/node.mjs tools/with-postgres.ts -- <command …>`.
//
// The command finds LEADHAND_TEST_DATABASE_URL and, when the instance is private and may be broken at will,
// LEADHAND_TEST_POSTGRES_CTL (see `PostgresControl`) in its environment.

import { NoPostgres } from "./postgres.ts";
import { testDatabase } from "./test-database.ts";
import { withService } from "./with-service.ts";

process.exitCode = await withService(process.argv.slice(2), {
  tool: "tools/with-postgres.ts",
  start: testDatabase,
  isMissing: (error) => error instanceof NoPostgres,
});
