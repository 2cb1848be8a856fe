import { type ChildProcess, spawn } from "node:child_process";
import { childEnvironment } from "../../server/config.ts";
import { type Config, flagOf, settingEntries } from "../../server/settings/settings.ts";
import { systemClock } from "../../server/system.ts";
import { configuredCommand } from "../configured-command.ts";
import { consumerFlags, consumerUsage, consumerWords } from "../consumer-flags.ts";
import { counted } from "../counted.ts";
import { givenJobs } from "../given-jobs.ts";
import { stopRequest } from "../stop-signal.ts";
import { type KeptProcess, keptProcess } from "../up/kept-process.ts";
import { brokerQueues, type PlanParts, planOf } from "../up/plan.ts";
import { prefixedLines } from "../up/prefixed-lines.ts";
import { UsageError } from "../usage-error.ts";

const usage = [
  "Usage: leadhand up FILE [N] [settings]",
  "",
  "Starts a server with its page, the reaper, and N processes (1) for each queue of",
  "LEADHAND_AMQP_QUEUES, all of them with all jobs of FILE; where every job names its",
  "queue, only for those, and for protea.ping. Tasks of other queues are done by N",
  "workers that are connected to the server. Without LEADHAND_AMQP_URL there are only",
  "these, for all jobs. FILE exports `jobs`, as for `leadhand worker`.",
  "",
  ...consumerUsage,
  "",
  "All that the processes print is shown, with the name of each before it. One that",
  "dies is started again, after a pause that grows. Told to stop (SIGTERM, or Ctrl-C)",
  "it stops the workers, which finish what is in hand, and then the server. A second",
  "signal ends all of them at once.",
  "",
  "Settings are those of `leadhand serve`, as in --port 0 or --data ./elsewhere; all",
  "processes have them, by their environment.",
  "",
  "Exit codes: 0 all stopped in good order, 1 not so, or the server did not start, 2",
  "the command line, a setting or FILE is wrong.",
].join("\n");

const eachMax = 64;

export const command = configuredCommand({
  name: "up",
  summary: "run a server and the workers of a file, all at once",
  usage,
  words: ["FILE", "[N]"],
  flags: consumerFlags,
  async run({ read: { config }, flags, words: [file = "", count = "1"] }) {
    const each = /^\d{1,3}$/.test(count) ? Number(count) : 0;
    if (each < 1 || each > eachMax) throw new UsageError(`N is "${count}"; it has to be from 1 to ${eachMax}`);
    const words = consumerWords(flags);
    const { jobs } = await givenJobs(file);
    const parts = { file, jobs, config, each, ...words };
    say(queuesText(parts));
    return runAll(config, flags, parts);
  },
});

function queuesText(parts: PlanParts): string {
  if (parts.config.amqpUrl === null) return "LEADHAND_AMQP_URL is not set: all jobs are done by workers over /work";
  const queues = brokerQueues(parts);
  if (queues.length === 0) return "no queue of RabbitMQ has a process";
  return `queues of RabbitMQ, ${counted(parts.each, "worker")} each: ${queues.join(", ")}`;
}

async function runAll(config: Config, flags: Readonly<Record<string, unknown>>, parts: PlanParts): Promise<number> {
  const workers: KeptProcess[] = [];
  const refusal = Promise.withResolvers<number>();
  const ready = Promise.withResolvers<string>();
  let port: string | null = null;
  const given = environmentOf(flags);
  const server = kept({
    ...{ name: "server", refused: refusal.resolve, heed },
    args: () => ["serve"],
    environment: () => ({ ...given, ...(port !== null && { LEADHAND_PORT: port }) }),
    // Whoever has never listened will not do so the next time.
    isHopeless: () => port === null,
  });
  const { asked } = stopRequest(["SIGTERM", "SIGINT", "SIGHUP"], () => {
    for (const each of [...workers, server]) each.kill();
  });

  function heed(line: string): void {
    const [, url] = /^leadhand ready (http\S+)$/.exec(line) ?? [];
    if (url === undefined) return;
    // A server that is started again is found where it was.
    port = new URL(url).port;
    ready.resolve(url);
  }

  server.start();
  const url = await Promise.race([ready.promise, refusal.promise, asked.then(() => 0)]);
  if (typeof url === "string") {
    const plan = planOf(parts, url);
    for (const { name, args, isSpare } of plan) {
      const refused = isSpare === true ? () => {} : refusal.resolve;
      workers.push(kept({ name, refused, args: () => args, environment: () => given }));
    }
    for (const worker of workers) worker.start();
    say(`the server is at ${url}, with ${counted(plan.filter(({ isSpare }) => !isSpare).length, "worker")}`);
  }
  const code = typeof url === "string" ? await Promise.race([refusal.promise, asked.then(() => 0)]) : url;
  const withinMs = Math.max(config.shutdownGraceMs, config.stopGraceMs) + endWithinMs;
  const ends = await Promise.all(workers.map((worker) => worker.stop(withinMs)));
  ends.push(await server.stop(withinMs));
  return code !== 0 ? code : ends.every((end) => goodEnds.includes(end)) ? 0 : 1;
}

/** Beyond the time that tasks in hand may take. */
const endWithinMs = 10_000;
const goodEnds: readonly (number | string)[] = [0, 143, "SIGTERM"];

interface KeptParts {
  readonly name: string;
  args(): readonly string[];
  /** Beside that of this process. */
  environment(): Readonly<Record<string, string>>;
  /** Hears each line that it prints. */
  heed?(line: string): void;
  isHopeless?(): boolean;
  /** Another try would not help; this is what the whole command answers. */
  refused(code: number): void;
}

/** The exit code of a command that was given something wrong. */
const usageCode = 2;

function kept({ name, args, environment, heed = () => {}, isHopeless, refused }: KeptParts): KeptProcess {
  return keptProcess({
    now: systemClock().now,
    isHopeless: (how) => how === usageCode || isHopeless?.() === true,
    begin() {
      const child = started(args(), environment());
      for (const [input, output] of [
        [child.stdout, process.stdout],
        [child.stderr, process.stderr],
      ] as const) {
        if (input !== null) prefixedLines(input, (line) => output.write(`${name} | ${line}\n`), heed);
      }
      return child;
    },
    died: (how, pauseMs) => say(`${name} ended (${how}); it is started again in ${pauseMs / 1_000} s`),
    refused(how) {
      say(`${name} cannot be started`);
      refused(how === usageCode ? usageCode : 1);
    },
  });
}

/** In a process group of its own: Ctrl-C reaches it from here, in good order, and not from the terminal. */
function started(args: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  // See bin/run-node.js: with whoever started it, it ends too.
  const env = childEnvironment({ ...environment, LAUNCHED_BY_LEADHAND: `${process.pid}` });
  const program = [...process.execArgv, process.argv[1] as string, ...args];
  return spawn(process.execPath, program, { env, detached: true, stdio: ["ignore", "pipe", "pipe", "ipc"] });
}

/** The settings that were given as flags. In a command line of its own everybody on the machine could read a password. */
function environmentOf(flags: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    settingEntries.flatMap(([, setting]) => {
      const value = flags[flagOf(setting)];
      return value === undefined ? [] : [[setting.variables[0], String(value)] as const];
    }),
  );
}

function say(text: string): void {
  console.error(`leadhand up: ${text}`);
}
