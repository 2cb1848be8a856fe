// What the outside may ask for. Doors hand requests in and carry answers out; everything in between is decided here and
// in core/. engine() opens the store, start() begins to take requests, and after stop() all is quiet.

import { checkDuration } from "../core/checks.ts";
import { type Holder, isLeaseToken, isResumeToken, leaseToken, resumeToken } from "../core/lease.ts";
import { Problem } from "../core/problem.ts";
import { pushSecret } from "../core/push.ts";
import { type SessionKeys, sessionKeys } from "../core/session.ts";
import type { Move } from "../core/task.ts";
import type { Courier } from "../ports/courier.ts";
import type { AuditEntry, OpenTask } from "../ports/records.ts";
import type { Schemas } from "../ports/schemas.ts";
import { type Asks, asks } from "./asks.ts";
import { type ConcludeAll, concludingAll } from "./concluding-all.ts";
import { type EngineParts, engineParts } from "./engine-parts.ts";
import type { MovedTask } from "./folding.ts";
import type { Fence } from "./moves.ts";
import type { ServerLoad } from "./node-load.ts";
import { settling } from "./settling.ts";
import type { Surroundings } from "./surroundings.ts";

export interface EngineOptions extends Surroundings {
  /** Categories a job may have beside those of foreign documents. */
  readonly categories: readonly string[];
  /** Categories a provider may have; absent or null: any. */
  readonly providerCategories?: readonly string[] | null;
  /** What payloads are held against when a job's spec has changed; absent: they are not. */
  readonly schemas?: Schemas;
  /** Moves our clock to the database's. */
  readonly adjustClock?: (byMs: number) => void;
  /** How far our clock has been moved from the machine's. */
  readonly offsetMs?: () => number;
  /** What the server around the engine says of its load. */
  readonly load?: () => ServerLoad;
  /** Tells consumers behind a message broker of tasks; whoever hands it in starts it first and stops it last. */
  readonly courier?: Courier;
}

export interface Engine extends Operations {
  start(): Promise<void>;
  /** May be called twice. Ends waits, finishes what is under way, signs off. */
  stop(): Promise<void>;
}

/** The operations themselves; doors see only this shape. */
export interface Operations
  extends Pick<
    EngineParts,
    | "catalog"
    | "jobs"
    | "specs"
    | "alerts"
    | "workers"
    | "providers"
    | "losing"
    | "absences"
    | "lanes"
    | "depths"
    | "statistics"
    | "waits"
    | "sweeper"
    | "records"
    | "givingBack"
    | "control"
    | "deliveries"
    | "evictions"
    | "drains"
    | "acts"
    | "targets"
    | "brokerLooks"
    | "news"
    | "nodeId"
  > {
  submit: EngineParts["submitter"]["submit"];
  claim: EngineParts["claim"];
  askedAt: Asks["askedAt"];
  unaskedMs: Asks["unaskedMs"];
  /** For a worker that is connected: it is given what it wants as it comes. */
  stand: EngineParts["dispatcher"]["stand"];
  /** How many claims wait for work. */
  waitingClaims(): number;
  /**
   * Start, complete, fail, release, defer. A result that comes too late is refused and stays in the history. `starts`: what
   * was only claimed is started in the same write.
   */
  settle(id: string, holder: Holder, move: Move, starts?: boolean): Promise<MovedTask>;
  /** The end of an attempt by its worker's word, which may be told twice. */
  conclude: EngineParts["conclude"];
  /** The ends of many attempts in one breath, without a promise for each. */
  concludeAll: ConcludeAll;
  /** Notes that a move was refused before it came to the task. */
  refuse(id: string, holder: Holder, move: Move, why: Problem): Promise<void>;
  /** A change by someone the door has authorised, recorded with who it was. */
  override(id: string, actor: string | null, move: Move, audit?: AuditEntry): Promise<MovedTask>;
  /** Claims this very task for a worker. */
  take: EngineParts["take"];
  /** Claims those of these tasks that are there to be claimed. */
  takeMany: EngineParts["takeMany"];
  /** Messages that count on their coordinator, each once. */
  count: EngineParts["marking"]["count"];
  /** The handler of a task, or of one of its messages, has something to tell. */
  heardOf: EngineParts["signsOfLife"]["heard"];
  cards: EngineParts["cards"];
  cancel: EngineParts["cancelling"]["cancel"];
  progress: EngineParts["progress"]["report"];
  /** Prolongs a task's own lease, never shortens it; refused where a task has none. */
  extend(id: string, holder: Holder, leaseMs: number): Promise<OpenTask>;
  readProvider: EngineParts["providerReads"]["read"];
  keepResult: EngineParts["providerReads"]["keep"];
  /** How many reads wait for a provider. */
  waitingReads(): number;
  beat: EngineParts["beats"]["beat"];
  lifeOf: EngineParts["beats"]["lifeOf"];
  heard: EngineParts["beats"]["heard"];
  heardAt: EngineParts["beats"]["heardAt"];
  trailOf: EngineParts["beats"]["trailOf"];
  /** Beats are written within a second; for whoever cannot wait for it. */
  writeBeats(): Promise<void>;
  describeBeats: EngineParts["beats"]["describeBeats"];
  leaseToken(task: string, holder: Holder): string;
  isLeaseToken(task: string, holder: Holder, token: string): boolean;
  resumeToken(worker: string): string;
  isResumeToken(worker: string, token: string): boolean;
  readonly sessionKeys: SessionKeys;
  /** What requests of a push job are signed with where the job does not say. */
  pushSecret(job: string): string;
  /** Whether the database answered lately and the clocks agree. */
  ready(): boolean;
}

export async function engine(options: EngineOptions): Promise<Engine> {
  const parts = await engineParts(options);
  const { moves, heart, secret } = parts;
  const { settle, change, recordRefusal } = settling(options, parts);
  const { claim, take, takeMany, askedAt, unaskedMs } = asks(options, parts);
  let state: "new" | "running" | "stopped" = "new";

  function running<A extends unknown[], T>(operation: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
    return (...args) => {
      const refusal = notRunning();
      return refusal === null ? operation(...args) : Promise.reject(refusal);
    };
  }

  const endAll = concludingAll({
    moves,
    progress: parts.progress,
    conclude: parts.conclude,
  });
  const concludeAll: ConcludeAll = (worker, endings, told) => {
    const refusal = notRunning();
    if (refusal === null) endAll(worker, endings, told);
    else for (const ending of endings) queueMicrotask(() => told(ending, refusal));
  };

  function notRunning(): Problem | null {
    if (state !== "running") return new Problem("stopping", "This server is not taking requests");
    return heart.skewed() ? new Problem("clock-skew", "Our clock is too far off the database's") : null;
  }

  async function extend(id: string, holder: Holder, leaseMs: number): Promise<OpenTask> {
    checkDuration("/leaseMs", leaseMs, 1);
    const answer = await moves.locked(id, (task) => parts.extension(task, holder, leaseMs));
    if (answer instanceof Problem) throw answer;
    if (answer === "gone") throw new Problem("lease-lost", `Task ${id} is not open any more`);
    return answer.task;
  }

  return {
    ...parts,
    submit: running(parts.submitter.submit),
    ...{ askedAt, unaskedMs, claim: running(claim) },
    stand: parts.dispatcher.stand,
    waitingClaims: () => parts.dispatcher.waiting(),
    settle: running(settle),
    conclude: running(parts.conclude),
    concludeAll,
    refuse: running(recordRefusal),
    override: running((id, actor, move, audit) => change(id, { anyone: actor, audit }, move)),
    ...{ take: running(take), takeMany: running(takeMany) },
    count: running(parts.marking.count),
    heardOf: running(parts.signsOfLife.heard),
    cards: running(parts.cards),
    cancel: running(parts.cancelling.cancel),
    progress: running((id: string, fence: Fence, report) => parts.progress.report(id, fence, report)),
    extend: running(extend),
    readProvider: running(parts.providerReads.read),
    keepResult: running(parts.providerReads.keep),
    waitingReads: () => parts.providerReads.waiting(),
    beat: running(parts.beats.beat),
    ...{ lifeOf: parts.beats.lifeOf, heard: parts.beats.heard },
    ...{ heardAt: parts.beats.heardAt, writeBeats: () => parts.beats.flush() },
    trailOf: parts.beats.trailOf,
    describeBeats: parts.beats.describeBeats,
    leaseToken: (task, holder) => leaseToken(secret, task, holder),
    isLeaseToken: (task, holder, token) => isLeaseToken(secret, task, holder, token),
    resumeToken: (worker) => resumeToken(secret, worker),
    isResumeToken: (worker, token) => isResumeToken(secret, worker, token),
    sessionKeys: sessionKeys(secret),
    pushSecret: (job) => pushSecret(secret, job),
    ready: () => state === "running" && heart.latest() !== null && !heart.skewed(),
    async start() {
      await parts.start();
      state = "running";
    },
    async stop() {
      if (state === "stopped") return;
      state = "stopped";
      await parts.stop();
    },
  };
}
