import { resolve } from "node:path";
import { databaseName, databaseOf } from "../../server/database.ts";
import { verifyDatabase } from "../../server/verify-database.ts";
import { commandLog } from "../command-log.ts";
import { configuredCommand } from "../configured-command.ts";
import { counted } from "../counted.ts";
import { progressLine } from "../live-line.ts";

const usage = [
  "Usage: leadhand verify [FILE] [--json] [settings]",
  "",
  "Folds the history of every task again, event by event, and compares what comes",
  "out with the task as it is kept. Nothing is changed, and servers may be at work",
  "meanwhile.",
  "",
  "  FILE     a copy made by `leadhand backup`; without it the database of the",
  "           settings (--data, --database-url)",
  "  --json   print {database, tasks, events, faults: [{task, fault}]}",
  "",
  "Exit codes: 0 every history is sound, 1 one is not or the database cannot be",
  "read, 2 a setting is wrong.",
].join("\n");

/** More than anyone reads. */
const faultsMax = 1_000;

export const command = configuredCommand({
  name: "verify",
  summary: "fold every history again and compare it with its task",
  usage,
  flags: { json: { type: "boolean" } },
  words: ["[FILE]"],
  async run({ read, flags, words: [file] }) {
    const database = file === undefined ? databaseOf(read.config) : ({ kind: "sqlite", file: resolve(file) } as const);
    const line = progressLine();
    const onPage = (tasks: number): void => line.show(counted(tasks, "task"));
    const options = { faultsMax, onPage, log: commandLog(read.config) };
    const { tasks, events, faults } = await verifyDatabase(database, options).finally(line.end);
    if (flags["json"] === true) {
      console.log(JSON.stringify({ database: databaseName(database), tasks, events, faults }));
    } else {
      for (const { task, fault } of faults) console.log(`task ${task} ${fault}`);
      const least = faults.length < faultsMax ? "" : "at least ";
      console.log(`${counted(tasks, "task")}, ${counted(events, "event")}, ${least}${counted(faults.length, "fault")}`);
    }
    return faults.length === 0 ? 0 : 1;
  },
});
