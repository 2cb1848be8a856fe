import { databaseName, databaseOf } from "../../server/database.ts";
import { migrateDatabase } from "../../server/migrate-database.ts";
import { commandLog } from "../command-log.ts";
import { configuredCommand } from "../configured-command.ts";

const usage = [
  "Usage: leadhand migrate [--dry-run] [--json] [settings]",
  "",
  "Brings the database up to date and says what was done. A server does the same",
  "when it starts; this is for those who want to do it before. Migrations go",
  "forward only: make a backup first.",
  "",
  "  --dry-run   only say what would be done",
  "  --json      print {database, applied, pending, done}; of each migration",
  "              {version, name}",
  "",
  "Exit codes: 0 up to date (or would be), 1 the database cannot be used, 2 a",
  "setting is wrong.",
].join("\n");

export const command = configuredCommand({
  name: "migrate",
  summary: "bring the database up to date",
  usage,
  flags: { "dry-run": { type: "boolean" }, json: { type: "boolean" } },
  async run({ read: { config }, flags }) {
    const dryRun = flags["dry-run"] === true;
    const database = databaseOf(config);
    const { applied, pending } = await migrateDatabase(database, { log: commandLog(config), dryRun });
    if (flags["json"] === true) {
      const listed = { applied: applied.map(listedMigration), pending: pending.map(listedMigration) };
      console.log(JSON.stringify({ database: databaseName(database), ...listed, done: !dryRun }));
      return 0;
    }
    console.log(databaseName(database));
    for (const migration of applied) console.log(`  ${migrationText(migration)}  applied`);
    for (const migration of pending)
      console.log(`  ${migrationText(migration)}  ${dryRun ? "pending" : "applied now"}`);
    console.log(pending.length > 0 && dryRun ? `${pending.length} pending` : "Up to date");
    return 0;
  },
});

interface MigrationLine {
  readonly version: number;
  readonly name: string | null;
}

/** Without the SQL. */
function listedMigration({ version, name }: MigrationLine): MigrationLine {
  return { version, name };
}

function migrationText({ version, name }: MigrationLine): string {
  return `${String(version).padStart(4, "0")}-${name}`;
}
