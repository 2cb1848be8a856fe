import { patience } from "../../sdk/amqp/patience.ts";
import { brokerWhereabouts } from "../../sdk/environment.ts";
import { asTheServer, brokerUrl, queueMap, queueUse } from "../../sdk/worker/amqp/amqp-options.ts";
import { pingQueue } from "../../sdk/worker/amqp/operation-name.ts";
import { askingCommand } from "../asking-command.ts";
import { consumerFlags, consumerUsage, consumerWords } from "../consumer-flags.ts";
import { counted } from "../counted.ts";
import { givenJobs } from "../given-jobs.ts";
import { labelsOf } from "../labels.ts";
import { wholeNumber } from "../page-flags.ts";
import { runReaper, runWorker } from "../run-worker.ts";
import { UsageError } from "../usage-error.ts";

const usage = [
  "Usage: leadhand worker FILE [options]",
  "       leadhand worker --queue protea.ping",
  "       leadhand worker --queue reaper",
  "",
  "Does the jobs that FILE exports, until it is told to stop (SIGTERM, or Ctrl-C):",
  "then it takes no more tasks, finishes those in hand and ends. A second Ctrl-C",
  "hands back what is not finished; so does a second SIGTERM, but not where it",
  "consumes a queue of RabbitMQ.",
  "",
  "  // jobs.ts; TypeScript runs as it is",
  '  import { job } from "leadhand";',
  "  export const jobs = [",
  '    job("@global:modifiers:Rotate", {}, async (task) => ({ ok: true })),',
  "  ];",
  "",
  "Where FILE also exports `sessions`, each handler works in one, as `task.session`.",
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
  ...consumerUsage,
  "",
  "--queue protea.ping alone does the built-in ping, to see that messages of RabbitMQ",
  "come through. --queue reaper does no jobs: each minute it has the server look for",
  "tasks whose lease has ended or that have stalled. Servers do so too, and it needs",
  "an admin's token.",
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
    ...consumerFlags,
  },
  words: ["[FILE]"],
  exitCodes: ["143 a task of a broker's queue had to go back at the end"],
  heedsSignals: true,
  async run({ flags, words: [file], server, say }) {
    const { queue, name } = flags as { readonly queue?: readonly string[]; readonly name?: string };
    const concurrency = wholeNumber(flags, "concurrency", 1, concurrencyMax);
    const words = consumerWords(flags);
    const link = linkOf(flags);
    const labels = labelsOf(flags);
    if (server.token === null) throw new UsageError(`There is no token (${server.tokenFrom})`);
    const whereTo = { url: server.url, token: server.token };
    if (queue?.[0] === "reaper" && file === undefined)
      return runReaper(whereTo, () => say(`the reaper of ${server.url}, each minute`));
    const consumed = checked(() => consumedQueue(link, queue));
    if (file === undefined && consumed !== pingQueue) throw new UsageError(missingText(queue));
    if (words.ackMode !== undefined && consumed === null)
      throw new UsageError("--ack-mode is for a queue of the broker; name it by --queue, and set LEADHAND_AMQP_URL");
    checked(() => patience());
    const { jobs, sessions } = file === undefined ? { jobs: [] } : await givenJobs(file);
    say(`${file === undefined ? "ping" : `${counted(jobs.length, "job")} of ${file}`} for ${server.url}`);
    if (consumed === null && link === undefined && queue !== undefined && brokerWhereabouts().url !== null)
      say(
        `${queue.join(", ")}: no queue of the broker (LEADHAND_AMQP_QUEUES), so its tasks come from the server itself`,
      );
    return runWorker(
      {
        ...{ ...whereTo, ...words },
        ...(sessions !== undefined && { sessions }),
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

function missingText([queue]: readonly string[] = []): string {
  return queue === pingQueue
    ? `${pingQueue} is no queue of a broker here; set LEADHAND_AMQP_URL, and look at LEADHAND_AMQP_QUEUES`
    : "FILE is missing; `leadhand worker --help` says what it takes";
}

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
  queueUse(
    queueMap(map),
    queue,
    `${asTheServer}, or leave out --link amqp where its tasks come from the server itself`,
  );
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
