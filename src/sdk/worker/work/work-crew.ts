// A worker at work over the `/work` WebSocket: its jobs announced, its tasks assigned to it, until it is told to end.

import { wordsOf } from "../../failure.ts";
import { ServerProblem } from "../../problem.ts";
import { restApi } from "../../rest-api.ts";
import { type SteadyApi, steadyApi } from "../../steady-api.ts";
import { wire } from "../../wire.ts";
import type { Crew, CrewParts } from "../crew.ts";
import { bearer } from "../presence.ts";
import { announcement } from "./announcement.ts";
import type { BookParts } from "./book.ts";
import { closingTime } from "./closing-time.ts";
import { hearing } from "./hearing.ts";
import { inHand } from "./in-hand.ts";
import { outbox } from "./outbox.ts";
import { reconnection } from "./reconnection.ts";
import { standIn } from "./stand-in.ts";
import { talk } from "./talk.ts";

/** Of a request that is needed before there is a connection. */
const silenceMs = 15_000;

/** `fallBack` is another way to work, where WebSockets do not come through. */
export function workCrew(parts: CrewParts, fallBack: (() => Crew) | null): Crew {
  const { url, credentials, jobs, log, concurrency, prefetch, onReady } = parts;
  const closing = new AbortController();
  const isDraining = (): boolean => closing.signal.aborted;
  let fatal: { readonly error: unknown } | null = null;
  let other: Crew | null = null;
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();

  const { api, close } = requests(parts);
  const words = outbox({ soon: () => speech.soon(), now: () => speech.now(), concurrency });
  const held = inHand({
    ...{ concurrency, prefetch, jobs: new Map(jobs.map((job) => [job.name, job])) },
    ...{ portOf: words.portOf, onOutcome: words.result, onChange },
    onEnding: endings(parts),
  });
  const speech = talk({
    ...{ outbox: words, isDraining, ready: () => (isDraining() ? 0 : held.wanted()) },
    onGap: (gapMs) => words.again(held.held(), gapMs),
  });
  const announced = announcement({ api, log, signal: closing.signal, register: parts.register }, jobs);
  const beats = standIn({ url, log, onCancel: (task) => held.cancel(task, null) });
  const ears = hearing({
    ...{ log, announced, held, outbox: words, talk: speech, standIn: beats, onReady, onCommand: parts.onCommand },
    about: { words: parts.words, concurrency, prefetch },
    onWindow: (lostAfterMs) => link.expectWithin(lostAfterMs),
    // What it does not list when it comes back goes to others at once.
    onGap: () => link.anew("a task that was assigned has not come"),
    onDrain: () => stop(parts.drainMs),
  });
  const link = reconnection({
    ...{ url, credentials, api, log, giveUp, onMessage: ears.onMessage, onFrame: held.start },
    ...{ hasTasks: () => held.count() > 0, onNoWay: fallBack && without },
    onOpen: (connection, token) => speech.begin(connection, ears.registration(token)),
    onCut() {
      speech.end();
      time.look();
    },
  });
  const time = closingTime({
    ...{ held, log, onEnd: finish, isAlone: () => fatal !== null },
    settled() {
      speech.now();
      return link.settled();
    },
  });

  function onChange(): void {
    speech.offer();
    time.look();
  }

  /** What cannot be mended by waiting ends the worker, and loudly. */
  function giveUp(error: unknown): void {
    const isEnding = fatal !== null || isDraining();
    fatal ??= isEnding ? null : { error };
    if (isEnding) log.warn("something was not told at the end", { why: wordsOf(error) });
    else log.error("the worker cannot go on", { why: wordsOf(error) });
    stop(0);
  }

  function without(): void {
    log.warn("WebSockets do not come through to the server; working over REST");
    other = fallBack?.() ?? null;
    finish();
  }

  function stop(drainMs: number): void {
    other?.stop(drainMs);
    closing.abort();
    held.handBack(true);
    speech.soon();
    time.begin(drainMs);
  }

  async function work(): Promise<void> {
    try {
      await announced.create();
      if (!isDraining()) await link.open();
    } catch (error) {
      if (isDraining()) time.look();
      else if (fallBack !== null && hasNoSpecs(error)) without();
      else giveUp(error);
    }
    await finished;
    time.clear();
    ears.stop();
    await link.close();
    await beats.stop();
    close();
    if (other !== null) return other.done;
    if (fatal !== null) throw fatal.error;
  }

  return { done: work(), stop };
}

function endings({ log, onTask }: CrewParts): BookParts["onEnding"] {
  return ({ job: { id, spec, attempt } }, ending, error) => {
    if (ending === "refused") log.warn("a result was refused", { task: id, why: error });
    onTask({ id, job_name: spec.id, attempt }, ending, error);
  };
}

function requests({ url, credentials, log }: CrewParts): { readonly api: SteadyApi; close(): void } {
  const { fetch, close } = wire({ silenceMs });
  const api = steadyApi({
    api: restApi({ url, fetch, getHeaders: async () => bearer(await credentials.get()) }),
    credentials,
    onReach(reached, error) {
      if (reached) log.info("the server answers again");
      else log.warn("the server does not answer; trying on", { why: wordsOf(error) });
    },
  });
  return { api, close };
}

/** A server from before there was `/work`. */
function hasNoSpecs(error: unknown): boolean {
  return error instanceof ServerProblem && (error.code === "not-found" || error.status === 405);
}
