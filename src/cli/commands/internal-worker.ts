import { internalExecutor } from "../../server/internal-broker.ts";
import { configuredCommand } from "../configured-command.ts";
import { counted } from "../counted.ts";
import { executorEntry } from "../executor-entry.ts";
import { wholeNumber } from "../page-flags.ts";
import { stopRequest } from "../stop-signal.ts";
import { UsageError } from "../usage-error.ts";

const usage = [
  "Usage: leadhand internal-worker FILE [--places 2] [settings]",
  "",
  "Runs the internal jobs that FILE exports, for servers that have the same file",
  "(--internal FILE) and run it behind RabbitMQ (LEADHAND_INTERNAL_BROKER=amqp).",
  "Start as many as you like, on any machine that reaches RabbitMQ; servers find",
  "them by themselves. It runs until it is told to stop (SIGTERM, or Ctrl-C): then",
  "it takes no more tasks, and hands back those that do not end within the grace. A",
  "second signal ends it at once; its tasks are run again elsewhere.",
  "",
  "Once it takes tasks from RabbitMQ it prints one line on standard output, and",
  "nothing else; until then it waits, and says why on standard error:",
  "",
  "  leadhand internal-worker ready: 3 jobs, 2 places",
  "",
  "  --places 2      how many tasks at a time, each in a thread of its own",
  "  --amqp-url URL  RabbitMQ; LEADHAND_AMQP_URL keeps its password off the screen",
  "  --worker-shutdown-grace-seconds 30",
  "                  how long tasks in hand have to end",
  "",
  "Exit codes: 0 stopped in good order, 1 the file cannot be used, 2 the command line",
  "or a setting is wrong.",
].join("\n");

const placesMax = 256;

export const command = configuredCommand({
  name: "internal-worker",
  summary: "run a server's internal jobs in a process of its own, behind RabbitMQ",
  usage,
  flags: { places: { type: "string" } },
  words: ["FILE"],
  async run({ read: { config }, flags, words: [file] }) {
    const places = wholeNumber(flags, "places", 1, placesMax) ?? config.internalThreads;
    if (config.amqpUrl === null) throw new UsageError("LEADHAND_AMQP_URL is not set: where is RabbitMQ?");
    const { asked } = stopRequest(["SIGTERM", "SIGINT"]);
    const jobs = { entry: executorEntry, file: file as string, threads: places };
    const executor = internalExecutor(config, config.amqpUrl, jobs);
    try {
      const ready = `${counted(await executor.start(), "job")}, ${counted(places, "place")}`;
      void executor.standing().then(() => console.log(`leadhand internal-worker ready: ${ready}`));
      await asked;
    } finally {
      await executor.stop(config.shutdownGraceMs);
    }
    return 0;
  },
});
