import { patience } from "../../sdk/amqp/patience.ts";
import { brokerWhereabouts } from "../../sdk/environment.ts";
import { JobFileError, loadJobs } from "../../sdk/job-file.ts";
import { offerOwnPackage } from "../../sdk/own-package.ts";
import { brokerUrl, queueMap } from "../../sdk/worker/amqp/amqp-options.ts";
import { askingCommand } from "../asking-command.ts";
import { counted } from "../counted.ts";
import { labelsOf } from "../labels.ts";
import { wholeNumber } from "../page-flags.ts";
import { runReaper, runWorker } from "../run-worker.ts";
import { UsageError } from "../usage-error.ts";

const usage = [
  "Usage: leadhand worker FILE [options]",
  "       leadhand worker --queue reaper",
  "",
  "Does the jobs that FILE exports, until it is told to stop (SIGTERM, or Ctrl-C):",
  "then it takes no more tasks, finishes those in hand and ends. A second signal",
  "hands back what is not finished.",
  "",
  "  // jobs.ts; TypeScript runs as it is",
  '  import { job } from "leadhand";',
  "  export const jobs = [",
  '    job("@global:modifiers:Rotate", {}, async (task) => ({ ok: true })),',
  "  ];",
  "",
  "  --concurrency N how many tasks at a time",
  "  --queue Q       only tasks of this queue; may be repeated. Where there is a",
  "                  broker (LEADHAND_AMQP_URL) and the queue is one of its, it is",
  "                  consumed from there, all operations by one process",
  "  --label K=V     a label that it carries; may be repeated",
  "  --name N        what people call it",
  "  --link L        how it talks to the server: work, rest, fleet for function",
  "                  blocks, amqp for a queue of RabbitMQ; work, or rest where",
  "                  WebSockets do not come through",
  "",
  "--queue reaper does no jobs: each minute it has the server look for tasks whose",
  "lease has ended or that have stalled. Servers do so too, and it needs an admin.",
  "",
];

const concurrencyMax = 1_000;

export const command = askingCommand({
  name: "worker",
  summary: "do the jobs that a file exports",
  usage,
  flags: {
    ...{ concurrency: { type: "string" }, name: { type: "string" }, link: { type: "string" } },
    ...{ queue: { type: "string", multiple: true }, label: { type: "string", multiple: true } },
  },
  words: ["[FILE]"],
  exitCodes: ["143 a task of a broker's queue had to go back at the end"],
  heedsSignals: true,
  async run({ flags, words: [file], server, say }) {
    const { queue, name } = flags as { readonly queue?: readonly string[]; readonly name?: string };
    const concurrency = wholeNumber(flags, "concurrency", 1, concurrencyMax);
    const link = linkOf(flags);
    const labels = labelsOf(flags);
    if (server.token === null) throw new UsageError(`There is no token (${server.tokenFrom})`);
    if (queue?.[0] === "reaper" && file === undefined) {
      const begun = () => say(`the reaper of ${server.url}, each minute`);
      return runReaper({ url: server.url, token: server.token }, begun);
    }
    if (file === undefined) throw new UsageError("FILE is missing; `leadhand worker --help` says what it takes");
    const consumed = checked(() => consumedQueue(link, queue));
    checked(() => patience());
    offerOwnPackage();
    const jobs = await loadJobs(file).catch((error: unknown) => {
      throw error instanceof JobFileError ? new UsageError(error.faults.join("\n"), { cause: error }) : error;
    });
    say(`${counted(jobs.length, "job")} of ${file} for ${server.url}`);
    if (consumed === null && link === undefined && queue !== undefined && brokerWhereabouts().url !== null)
      say(
        `${queue.join(", ")}: no queue of the broker (LEADHAND_AMQP_QUEUES), so its tasks come from the server itself`,
      );
    return runWorker(
      {
        ...{ url: server.url, token: server.token },
        ...(concurrency !== undefined && { concurrency }),
        ...(consumed === null && queue !== undefined && { queues: queue }),
        ...(labels !== undefined && { labels }),
        ...(name !== undefined && { name }),
        ...(link !== undefined && { link }),
        ...(consumed !== null && { link: "amqp", queue: consumed }),
      },
      jobs,
    );
  },
});

const links = ["work", "rest", "fleet", "amqp"] as const;

/** The queue of a broker that is meant; null where it is one of the server's. */
function consumedQueue(link: (typeof links)[number] | undefined, queues: readonly string[] = []): string | null {
  const [queue] = queues;
  const { url, queues: map } = brokerWhereabouts();
  const isNamed = link === "amqp";
  const isMeant = link === undefined && url !== null && queue !== undefined && Object.hasOwn(queueMap(map), queue);
  if (!isNamed && !isMeant) return null;
  if (queue === undefined || queues.length > 1)
    throw new UsageError("--link amqp takes one --queue, the one it consumes");
  if (url === null) throw new UsageError("--link amqp needs a broker; set LEADHAND_AMQP_URL");
  brokerUrl(url, "LEADHAND_AMQP_URL");
  return queue;
}

/** What is wrong with a setting is said before anything is registered. */
function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message, { cause: error });
  }
}

function linkOf({ link }: { readonly link?: unknown }): (typeof links)[number] | undefined {
  const known = links.find((each) => each === link);
  if (link === undefined || known !== undefined) return known;
  throw new UsageError(`--link is ${String(link)}; it has to be ${links.join(", ")}`);
}
