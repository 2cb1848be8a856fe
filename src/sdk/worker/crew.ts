// A worker at work by requests: present, claiming, running, until it is told to end.

import type { Credentials } from "../credentials.ts";
import { wordsOf } from "../failure.ts";
import type { JobDefinition } from "../job.ts";
import { restApi } from "../rest-api.ts";
import { type SteadyApi, steadyApi } from "../steady-api.ts";
import { wire } from "../wire.ts";
import { answering } from "./answering.ts";
import { type Attempt, attempt, type Ending } from "./attempt.ts";
import type { ClaimedTask } from "./claimed-task.ts";
import { orSoonAfter } from "./cut-short.ts";
import { drain, goodbye } from "./farewell.ts";
import { hands } from "./hands.ts";
import type { WorkerCommand } from "./obedience.ts";
import type { WorkerLog, WorkerOptions } from "./options.ts";
import { type Presence, presence } from "./presence.ts";
import { type LinkKind, type RequestLink, restLink } from "./request-link.ts";
import { strays } from "./strays.ts";

export interface CrewParts {
  readonly url: string;
  readonly credentials: Credentials;
  readonly jobs: readonly JobDefinition[];
  readonly words: Pick<WorkerOptions, "name" | "queues" | "labels">;
  readonly concurrency: number;
  readonly prefetch: number;
  readonly register: "missing" | "never";
  readonly drainMs: number;
  readonly heartbeatMs: number;
  readonly socket: boolean;
  readonly log: WorkerLog;
  onReady(worker: string): void;
  onCommand(command: WorkerCommand): void;
  /** A handler did not end in time, or only by giving up, and its task went back. */
  onHandedBack?(task: string): void;
  onTask(task: Pick<ClaimedTask, "id" | "job_name" | "attempt">, ending: Ending, error: string | undefined): void;
}

export interface Crew {
  /** Resolves when `stop` is through; rejects with what made it impossible to go on. */
  readonly done: Promise<void>;
  /** Takes nothing new, lets handlers end, says goodbye. Called again, it shortens the time that is left. */
  stop(drainMs: number): void;
}

/** Time for the loop that takes tasks to put back what it has not begun; a broker that is silent must not take that of handlers. */
const lettingGoMs = 1_000;
/** How often to look for tasks that a lost answer took. */
const lookMs = 60_000;

/** No timer runs for longer; whoever gives so much time gives all there is. */
export const timerMsMax = 2 ** 31 - 1;

export function crew(parts: CrewParts, kind: LinkKind = restLink): Crew {
  const { url, credentials, jobs, log } = parts;
  const connection = wire({ silenceMs: kind.silenceMs });
  const inHand = hands(parts.concurrency, kind.concurrencyMax);
  const byName = new Map(jobs.map((job) => [job.name, job]));
  /** No more tasks; no more time for handlers; no more talk about tasks. */
  const [closing, hurrying, silenced] = [new AbortController(), new AbortController(), new AbortController()];
  let fatal: { readonly error: unknown } | null = null;
  const here: Presence = presence({
    ...{ url, credentials, log, giveUp, jobs: [...byName.keys()] },
    ...{ heartbeatMs: parts.heartbeatMs, socket: parts.socket, onReady: parts.onReady },
    ping: kind.ping,
    register: () => link.register({ ...parts.words, concurrency: parts.concurrency }, jobs),
    onCommands: (worker, commands) => answer(worker, commands),
    abort: (task, why) => (task === null ? inHand.abortAll(why) : inHand.abort(task, why)),
  });
  const steady = (prefix: "/v1" | ""): SteadyApi => {
    const api = restApi({ url, prefix, fetch: connection.fetch, getHeaders: here.headers });
    return steadyApi({ api, credentials, onReach: reachNotes(log) });
  };
  const api = steady("/v1");
  const link: RequestLink = kind.open({ api, root: steady(""), log, signal: closing.signal });

  const answer = answering(api, {
    ...{ log, onCommand: heeded(link, parts), setConcurrency: inHand.setConcurrency, handBack: () => undefined },
    letGo: (id, number) =>
      inHand
        .held()
        .find(({ task }) => task.id === id && task.attempt === number)
        ?.abort("lost"),
  });
  const lost = strays(api, inHand);
  const looking = setInterval(() => {
    // What is wrong with the server is noticed elsewhere too.
    if (here.worker() !== "") lost.look(here.worker()).catch((error: unknown) => log.debug(wordsOf(error)));
  }, lookMs).unref();

  /** What cannot be mended by waiting ends the worker, and loudly. */
  function giveUp(error: unknown): void {
    if (silenced.signal.aborted) return;
    if (fatal !== null || closing.signal.aborted) {
      log.warn("something was not told at the end", { why: wordsOf(error) });
      return;
    }
    fatal = { error };
    log.error("the worker cannot go on", { why: wordsOf(error) });
    stop(0);
  }

  function take(task: ClaimedTask): Attempt {
    const job = byName.get(task.job_name) ?? link.unknown?.(task);
    const taken = attempt({ ...spoken(link, here), api, job, signal: silenced.signal }, task);
    hold(taken);
    return taken;
  }

  function hold(taken: Attempt): void {
    const { task } = taken;
    inHand.hold(taken);
    taken.done.then(({ ending, error }) => {
      if (ending === "refused") log.warn("a result was refused", { task: task.id, why: error });
      parts.onTask(task, ending, error);
    }, giveUp);
  }

  function stop(drainMs: number): void {
    closing.abort();
    if (drainMs === 0) hurrying.abort();
    else if (drainMs <= timerMsMax) setTimeout(() => hurrying.abort(), drainMs).unref();
  }

  async function work(): Promise<void> {
    try {
      await here.enter();
      const signal = closing.signal;
      const about = { api, hands: inHand, strays: lost, take, hold, signal };
      await orSoonAfter(signal, lettingGoMs, link.claim({ ...about, worker: here.worker, onGone: here.comeBack }));
    } catch (error) {
      // Whoever ends a worker that is about to register ends that too.
      if (!closing.signal.aborted) giveUp(error);
    }
    clearInterval(looking);
    const farewell = {
      ...{ api, hands: inHand, strays: lost, log, stopBeating: here.stop, signOff: link.signOff, letGo: link.letGo },
      onHandedBack: ({ id }: ClaimedTask) => parts.onHandedBack?.(id),
    };
    await drain(farewell, hurrying.signal);
    silenced.abort();
    await link.end?.();
    if (here.worker() !== "") await goodbye(farewell, here.worker());
    await here.stop();
    connection.close();
    if (fatal !== null) throw fatal.error;
  }

  return { done: work(), stop };
}

function reachNotes(log: WorkerLog): (reached: boolean, error?: unknown) => void {
  return (reached, error) => {
    if (reached) log.info("the server answers again");
    else log.warn("the server does not answer; trying on", { why: wordsOf(error) });
  };
}

function heeded({ heed }: RequestLink, { onCommand }: CrewParts): CrewParts["onCommand"] {
  return (command) => {
    heed?.(command);
    onCommand(command);
  };
}

/** What an attempt says by this link. */
function spoken({ sendEnd, begin, mayRun, checkQueue, leaseEveryMs }: RequestLink, here: Presence) {
  const keep = (task: ClaimedTask, onLost: () => void): (() => void) =>
    here.keep({ task: task.id, attempt: task.attempt, everyMs: leaseEveryMs?.(task) ?? 0 }, onLost);
  return {
    sendEnd: sendEnd(here.worker()),
    ...{ ...(begin && { begin }), ...(mayRun && { mayRun }), ...(checkQueue && { checkQueue }) },
    ...(leaseEveryMs && { keep }),
  };
}
