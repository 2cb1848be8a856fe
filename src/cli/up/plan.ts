// Which processes `leadhand up` starts beside the server, by the settings and the jobs of the file.

import type { JobDefinition } from "../../sdk/job.ts";
import type { Config } from "../../server/settings/settings.ts";

/** One process: what its lines begin with, and the command that it runs. */
export interface Program {
  readonly name: string;
  readonly args: readonly string[];
}

export interface PlanParts {
  readonly file: string;
  readonly jobs: readonly Pick<JobDefinition, "options">[];
  readonly config: Pick<Config, "amqpUrl" | "amqpQueues" | "internal" | "internalBroker" | "data">;
  /** How many processes each queue has. */
  readonly each: number;
}

/** Where tasks go that name no queue. */
const usualQueue = "default";

/** `url` is where the server answers. */
export function planOf({ file, jobs, config, each }: PlanParts, url: string): readonly Program[] {
  const { amqpUrl, amqpQueues, internal, internalBroker, data } = config;
  const server = ["--url", url, "--data", data];
  const worker = (name: string, ...args: readonly string[]): Program => ({
    name,
    args: ["worker", file, ...server, "--name", name, ...args],
  });
  if (amqpUrl === null) return times(each, "worker").map((name) => worker(name));
  const named = [...new Set(jobs.map(({ options }) => options.queue ?? usualQueue))];
  const carried = named.filter((queue) => Object.hasOwn(amqpQueues, queue));
  const others = named.filter((queue) => !carried.includes(queue)).flatMap((queue) => ["--queue", queue]);
  return [
    { name: "reaper", args: ["worker", ...server, "--queue", "reaper"] },
    ...carried.flatMap((queue) => times(each, queue).map((name) => worker(name, "--link", "amqp", "--queue", queue))),
    // What RabbitMQ does not carry is done by a worker that is connected to the server.
    ...(others.length === 0 ? [] : times(each, "worker").map((name) => worker(name, ...others))),
    ...(internal === null || internalBroker === "threads"
      ? []
      : times(each, "internal").map((name) => ({ name, args: ["internal-worker", internal] }))),
  ];
}

function times(count: number, name: string): readonly string[] {
  return count === 1 ? [name] : Array.from({ length: count }, (_, nth) => `${name}.${nth + 1}`);
}
