// What a worker says about itself in its first heartbeat, and again when it has changed.

import type { Registration } from "../../../protocol/work/frames.ts";
import type { WorkerOptions } from "../options.ts";
import { machineWords } from "../spec-words.ts";

export interface RegistrationWords {
  readonly words: Pick<WorkerOptions, "name" | "queues" | "labels">;
  readonly concurrency: number;
  readonly prefetch: number;
  readonly specs: Registration["specs"];
  /** Null: it was nobody before. */
  readonly resume: Registration["resume"] | null;
}

export function registrationText({ words, concurrency, prefetch, specs, resume }: RegistrationWords): string {
  const { name, queues, labels } = words;
  const registration: Registration = {
    protocol: 1,
    ...machineWords(),
    arch: process.arch,
    runtime: `node ${process.versions.node}`,
    pid: process.pid,
    ...(name && { name }),
    ...(labels && { labels: { ...labels } }),
    ...(queues && { queues: [...queues] }),
    ...{ specs, concurrency, prefetch },
    capabilities: { logs: true, cancel: true, echo: true, commands: true, batch: true },
    ...(resume && { resume }),
  };
  return JSON.stringify(registration);
}
