import { internalBroker } from "../../server/internal-broker.ts";
import { server } from "../../server/server.ts";
import { configuredCommand } from "../configured-command.ts";
import { dashboardLink } from "../dashboard-link.ts";
import { executorEntry } from "../executor-entry.ts";
import { stopRequest } from "../stop-signal.ts";

const usage = [
  "Usage: leadhand serve [settings]",
  "",
  "Runs a server until it is told to stop (SIGTERM, or Ctrl-C): then it takes no",
  "more requests, finishes those in hand and ends. A second signal ends it at once;",
  "nothing that was answered is lost either way.",
  "",
  "Once it can work it prints one line on standard output:",
  "",
  "  leadhand ready http://127.0.0.1:7070",
  "",
  "On a terminal a link to the dashboard follows, which signs you in: once, and",
  "within ten minutes. `leadhand open` makes another.",
  "",
  "Every request needs a token. The first start puts one that may do everything",
  "into the file admin-token of the data folder; `leadhand token` makes others.",
  "",
  "  curl http://127.0.0.1:7070/v1/workers \\",
  '    -H "Authorization: Bearer $(cat leadhand-data/admin-token)"',
  "",
  "What can be asked for is told at /docs.",
  "",
  "  --host 127.0.0.1        address to listen on",
  "  --port 7070             port to listen on; 0 takes any",
  "  --data ./leadhand-data  folder of the embedded database and the admin token",
  "  --database-url URL      PostgreSQL instead, for many servers on one database",
  "  --internal FILE         module of jobs that the server runs itself",
  "  --log-level info        debug, info, warn, error or silent",
  "",
  "`leadhand config` lists all settings. Each is a flag and an environment variable.",
  "",
  "Exit codes: 0 stopped in good order, 1 could not start or stop, 2 a setting is",
  "wrong.",
].join("\n");

export const command = configuredCommand({
  name: "serve",
  summary: "run a server",
  usage,
  tellsWarnings: true,
  async run({ read }) {
    const { asked } = stopRequest(["SIGTERM", "SIGINT"]);
    const broker = internalBroker(read.config, executorEntry);
    const serving = server({ ...read, ...(broker !== undefined && { broker }) });
    try {
      const address = await Promise.race([serving.start(), asked.then(() => null)]);
      if (address !== null) console.log(`leadhand ready ${address}`);
      // A file or a pipe that holds what is printed is no place for it, and a proxy's path is not to be found here.
      if (address !== null && process.stdout.isTTY && read.config.pathPrefix === null) {
        console.log(`dashboard ${dashboardLink(address, await serving.signInCode())}`);
      }
      await asked;
    } finally {
      limitTheEnd(read.config.stopGraceMs);
      await serving.stop();
    }
    return 0;
  },
});

/** Beyond the time that requests in hand may take. */
const endWithinMs = 5_000;

/** Who asks a process to end counts on its end, whatever it still waits for. */
function limitTheEnd(graceMs: number): void {
  const timer = setTimeout(() => {
    console.error(
      `leadhand serve: not quiet ${(graceMs + endWithinMs) / 1_000} s after it was told to stop; ended anyway`,
    );
    process.exit(1);
  }, graceMs + endWithinMs);
  timer.unref();
}
