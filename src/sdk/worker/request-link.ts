// In which words a worker that works by requests talks to its server: in ours, or in those of the fleet's document.

import type { Ping } from "../heartbeat/words.ts";
import type { JobDefinition } from "../job.ts";
import type { SteadyApi, SteadyAsk } from "../steady-api.ts";
import { type ClaimLoopParts, claimLoop } from "./claim-loop.ts";
import type { ClaimedTask } from "./claimed-task.ts";
import type { WorkerCommand } from "./obedience.ts";
import type { WorkerLog, WorkerOptions } from "./options.ts";
import { register } from "./registration.ts";
import { restEnd, type SendEnd } from "./settle.ts";

/** What a link has to talk with. */
export interface LinkWires {
  /** Below `/v1`. */
  readonly api: SteadyApi;
  readonly root: SteadyApi;
  readonly log: WorkerLog;
  /** Aborts when no more tasks are wanted. */
  readonly signal: AbortSignal;
}

export interface RequestLink {
  register(
    words: Pick<WorkerOptions, "name" | "queues" | "labels" | "concurrency">,
    jobs: readonly JobDefinition[],
  ): Promise<{ readonly id: string; readonly beatMs?: number }>;
  /** Resolves when no more tasks are wanted. */
  claim(parts: ClaimLoopParts): Promise<void>;
  readonly sendEnd: (worker: string) => SendEnd;
  readonly begin?: (task: ClaimedTask) => Promise<unknown>;
  /** Whether a task is still to be run, now that it was claimed. */
  readonly mayRun?: (task: ClaimedTask) => Promise<boolean>;
  /** Throws where nobody would take a coordinator's messages from this queue. */
  readonly checkQueue?: (queue: string) => void;
  /** Where tasks have leases of their own: how often one is prolonged. */
  readonly leaseEveryMs?: (task: ClaimedTask) => number;
  /** What is made of a task whose job this worker does not have; it goes back where absent. */
  readonly unknown?: (task: ClaimedTask) => JobDefinition;
  /** Gives back a task whose handler did not end in time; by a release where absent. */
  readonly letGo?: (task: ClaimedTask, signal: AbortSignal) => Promise<unknown>;
  /** Told what an operator says, for what is not the server's part. */
  readonly heed?: (command: WorkerCommand) => void;
  /** After everything is told. */
  readonly end?: () => Promise<void>;
  signOff(worker: string, how: Pick<SteadyAsk, "signal" | "tries">): Promise<unknown>;
}

export interface LinkKind {
  readonly ping: Ping;
  /** An answer that is silent for so long is dead. */
  readonly silenceMs: number;
  /** Whatever an operator says, no more run side by side. */
  readonly concurrencyMax?: number;
  open(wires: LinkWires): RequestLink;
}

export const restLink: LinkKind = {
  ping: "rest",
  // The long poll is silent for 30 seconds.
  silenceMs: 45_000,
  open: ({ api, log, signal }) => ({
    register: (words, jobs) => register({ api, log, signal }, words, jobs),
    claim: claimLoop,
    sendEnd: () => (task, outcome, silence) => restEnd(api, task, outcome, silence),
    signOff: (worker, how) => api.request("DELETE", `/workers/${worker}`, how),
  }),
};
