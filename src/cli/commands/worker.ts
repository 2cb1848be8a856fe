import { JobFileError, loadJobs } from "../../sdk/job-file.ts";
import { offerOwnPackage } from "../../sdk/own-package.ts";
import { askingCommand } from "../asking-command.ts";
import { counted } from "../counted.ts";
import { labelsOf } from "../labels.ts";
import { wholeNumber } from "../page-flags.ts";
import { runWorker } from "../run-worker.ts";
import { UsageError } from "../usage-error.ts";

const usage = [
  "Usage: leadhand worker FILE [options]",
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
  "  --queue Q       only tasks of this queue; may be repeated",
  "  --label K=V     a label that it carries; may be repeated",
  "  --name N        what people call it",
  "  --link L        how it talks to the server: work, rest, or fleet for function",
  "                  blocks; work, or rest where WebSockets do not come through",
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
  words: ["FILE"],
  heedsSignals: true,
  async run({ flags, words: [file], server, say }) {
    const { queue, name } = flags as { readonly queue?: readonly string[]; readonly name?: string };
    const concurrency = wholeNumber(flags, "concurrency", 1, concurrencyMax);
    const link = linkOf(flags);
    const labels = labelsOf(flags);
    if (server.token === null) throw new UsageError(`There is no token (${server.tokenFrom})`);
    offerOwnPackage();
    const jobs = await loadJobs(file as string).catch((error: unknown) => {
      throw error instanceof JobFileError ? new UsageError(error.faults.join("\n"), { cause: error }) : error;
    });
    say(`${counted(jobs.length, "job")} of ${file} for ${server.url}`);
    await runWorker(
      {
        ...{ url: server.url, token: server.token },
        ...(concurrency !== undefined && { concurrency }),
        ...(queue !== undefined && { queues: queue }),
        ...(labels !== undefined && { labels }),
        ...(name !== undefined && { name }),
        ...(link !== undefined && { link }),
      },
      jobs,
    );
    return 0;
  },
});

const links = ["work", "rest", "fleet"] as const;

function linkOf({ link }: { readonly link?: unknown }): (typeof links)[number] | undefined {
  const known = links.find((each) => each === link);
  if (link === undefined || known !== undefined) return known;
  throw new UsageError(`--link is ${String(link)}; it has to be ${links.join(", ")}`);
}
