import { test } from "node:test";
import { postgresSchema } from "../../src/testing/postgres-schema.ts";
import { testDatabaseUrl } from "../../src/testing/real-surroundings.ts";
import { killedAgainAndAgain } from "./kill-rounds.ts";

const url = testDatabaseUrl();
const skip = url === undefined && "no PostgreSQL";

test("a server on PostgreSQL that is killed fifty times under load keeps every word it gave", { skip }, async (t) => {
  const schema = postgresSchema(url as string);
  try {
    await killedAgainAndAgain(t, { url: url as string, schema: schema.name });
  } finally {
    await schema.drop();
  }
});
