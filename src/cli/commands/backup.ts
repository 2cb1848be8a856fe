import { resolve } from "node:path";
import { backupDatabase } from "../../server/backup-database.ts";
import { databaseOf } from "../../server/database.ts";
import { configuredCommand } from "../configured-command.ts";
import { counted } from "../counted.ts";
import { progressLine } from "../live-line.ts";
import { type StopSignal, signalCode, stopRequest } from "../stop-signal.ts";

const usage = [
  "Usage: leadhand backup TARGET [settings]",
  "",
  "Copies the embedded database to the file TARGET, as it is at one moment, while a",
  "server goes on working. TARGET must not exist; it has its name only once the copy",
  "is whole. `leadhand verify TARGET` checks it. To restore it, put it into an empty",
  "data directory under the name leadhand.db.",
  "",
  "PostgreSQL has its own tool for this, pg_dump.",
  "",
  "Exit codes: 0 the copy is there, 1 it could not be made, 2 the command line or a",
  "setting is wrong, 130 interrupted.",
].join("\n");

export const command = configuredCommand({
  name: "backup",
  summary: "copy the embedded database while a server is running",
  usage,
  words: ["TARGET"],
  async run({ read, words }) {
    const target = resolve(words[0] as string);
    const request = stopRequest(["SIGINT", "SIGTERM"]);
    let interruptedBy: StopSignal | null = null;
    void request.asked.then((signal) => {
      interruptedBy = signal;
    });
    const line = progressLine();
    const onProgress = (share: number): void => {
      if (interruptedBy !== null) throw new Error("Interrupted");
      line.show(`${Math.floor(share * 100)} %`);
    };
    try {
      const bytes = await backupDatabase(databaseOf(read.config), target, onProgress);
      line.end();
      console.log(`${target}, ${counted(bytes, "byte")}`);
      return 0;
    } catch (error) {
      line.end();
      if (interruptedBy === null) throw error;
      console.error(`leadhand backup: interrupted; there is no ${target}`);
      return signalCode(interruptedBy);
    } finally {
      request.end();
    }
  },
});
