import { test } from "node:test";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { killedAgainAndAgain } from "./rest/kill-rounds.ts";

test(
  "whoever calls a server on PostgreSQL over HTTP finds every word kept after twenty kills",
  withPostgres,
  async (t) => {
    await killedAgainAndAgain(t, { databaseUrl: await freshDatabase() });
  },
);
