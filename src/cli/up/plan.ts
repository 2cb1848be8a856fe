// Which processes `leadhand up` starts beside the server, by the settings and the jobs of the file.

import type { JobDefinition } from "../../sdk/job.ts";
import { ping, pingQueue } from "../../sdk/worker/amqp/operation-name.ts";
import type { Config } from "../../server/settings/settings.ts";
import type { ConsumerWords } from "../consumer-flags.ts";

/** One process: what its lines begin with, and the command that it runs. */
export interface Program {
  readonly name: string;
  readonly args: readonly string[];
  /** It does no jobs, and the server does by itself what it does: without it the others go on. */
  readonly isSpare?: true;
}

export interface PlanParts extends ConsumerWords {
  readonly file: string;
  readonly jobs: readonly Pick<JobDefinition, "name" | "options">[];
  readonly config: Pick<Config, "amqpUrl" | "amqpQueues" | "internal" | "internalBroker" | "data">;
  /** How many processes each queue has. */
  readonly each: number;
}

/** Where tasks go that name no queue. */
const usualQueue = "default";

/** `url` is where the server answers. */
export function planOf(parts: PlanParts, url: string): readonly Program[] {
  const { file, config, each, ackMode, prefetch } = parts;
  const { amqpUrl, internal, internalBroker, data } = config;
  const server = ["--url", url, "--data", data];
  const early = prefetch === undefined ? [] : ["--prefetch", `${prefetch}`];
  const workers = (name: string, ...args: readonly string[]): readonly Program[] =>
    times(each, name).map((nth) => ({
      name: nth,
      args: ["worker", file, ...server, "--name", nth, ...args, ...early],
    }));
  if (amqpUrl === null) return workers("worker");
  const acknowledged = ackMode === undefined ? [] : ["--ack-mode", ackMode];
  const others = otherQueues(parts).flatMap((queue) => ["--queue", queue]);
  return [
    { name: "reaper", args: ["worker", ...server, "--queue", "reaper"], isSpare: true },
    ...brokerQueues(parts).flatMap((queue) => workers(queue, "--link", "amqp", "--queue", queue, ...acknowledged)),
    // What RabbitMQ does not carry is done by a worker that is connected to the server.
    ...(others.length === 0 ? [] : workers("worker", ...others)),
    ...(internal === null || internalBroker === "threads"
      ? []
      : times(each, "internal").map((name) => ({ name, args: ["internal-worker", internal] }))),
  ];
}

/**
 * The queues of RabbitMQ that have processes. Tasks and messages of a job that names no queue may come by any of them; where
 * all jobs name theirs, the others would have nothing to do, but for the one of the built-in ping.
 */
export function brokerQueues({ jobs, config }: Pick<PlanParts, "jobs" | "config">): readonly string[] {
  const { amqpUrl, amqpQueues } = config;
  const carried = amqpUrl === null ? [] : Object.keys(amqpQueues);
  const named = ownJobs(jobs).map(({ options }) => options.queue);
  return named.includes(undefined) ? carried : carried.filter((queue) => queue === pingQueue || named.includes(queue));
}

/** The queues of jobs that come from the server itself. */
function otherQueues({ jobs, config }: Pick<PlanParts, "jobs" | "config">): readonly string[] {
  const named = new Set(ownJobs(jobs).map(({ options }) => options.queue ?? usualQueue));
  return [...named].filter((queue) => !Object.hasOwn(config.amqpQueues, queue));
}

/** The built-in ping is among them where a registry made them, and has a queue of its own. */
function ownJobs(jobs: PlanParts["jobs"]): PlanParts["jobs"] {
  return jobs.filter(({ name, options }) => name !== ping.name || options.queue !== undefined);
}

function times(count: number, name: string): readonly string[] {
  return count === 1 ? [name] : Array.from({ length: count }, (_, nth) => `${name}.${nth + 1}`);
}
