// The database tests run against: the one they were given, or a private one.

import { startPostgres } from "./postgres.ts";

export type TestDatabase = {
  /** What programs under test find in their environment. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
};

export async function testDatabase(): Promise<TestDatabase> {
  if (process.env["LEADHAND_TEST_DATABASE_URL"]) return { environment: {}, stop: async () => undefined };
  const postgres = await startPostgres();
  return {
    environment: {
      LEADHAND_TEST_DATABASE_URL: postgres.url,
      LEADHAND_TEST_POSTGRES_CTL: JSON.stringify(postgres.control),
    },
    stop: () => postgres.stop(),
  };
}
