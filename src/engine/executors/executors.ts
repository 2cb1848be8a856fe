// Internal jobs: the server's own executors take tasks of @internal as any worker takes its tasks, as many as there are
// places, and what does not fit stays pending, in its order, for whichever server has a place first. A pending task is
// its own note that it has to be dispatched, so a crash between its acceptance and its dispatch strands nothing.

import { Problem } from "../../core/problem.ts";
import type { Broker } from "../../ports/broker.ts";
import type { Schemas } from "../../ports/schemas.ts";
import { outputs } from "../desks/outputs.ts";
import type { Operations } from "../engine.ts";
import { napping } from "../nap.ts";
import type { Surroundings } from "../surroundings.ts";
import { type HandedOut, handingOut } from "./hand-out.ts";
import { inHand } from "./in-hand.ts";
import { presence } from "./presence.ts";

export interface Executors {
  start(): Promise<void>;
  /** Hands out what is ready now, as far as there are places; returns when that is done. */
  dispatch(): Promise<void>;
  /** A task as it was when it was handed out, or failed to be; not for long. */
  handedOut(id: string): HandedOut | undefined;
  /** Takes nothing more; what runs has so long to end, then it goes back and runs elsewhere, or later. */
  stop(graceMs: number): Promise<void>;
}

export interface ExecutorsParts {
  readonly operations: Operations;
  readonly broker: Broker;
  readonly schemas: Schemas;
}

const waitMs = 60_000;
const retryMs = 1_000;
const recentMax = 1_000;

export function executors(around: Surroundings, { operations, broker, schemas }: ExecutorsParts): Executors {
  const { clock, log } = around;
  const { catalog } = operations;
  const nap = napping(clock);
  const { check: checkResult } = outputs({ catalog, schemas });
  const hands = inHand(around, { operations, broker, checkResult, freed: () => nap.end() });
  const lost = (): void => hands.abortAll("The server's executors were given up");
  const there = presence(around, { operations, schemas, beaten: hands.look, lost });
  const handOut = handingOut(around, { catalog, broker, hands, isStopping: () => stopping !== null });
  const recent = new Map<string, HandedOut>();
  let asked: (() => void)[] = [];
  let stopping: Promise<void> | null = null;
  let taking: Promise<void> | null = null;

  async function take(): Promise<void> {
    while (stopping === null) {
      const answered = asked;
      asked = [];
      const worker = there.worker();
      await takeOnce(worker, answered.length > 0).catch((error) => recover(worker, error));
      for (const done of answered) done();
    }
    for (const done of asked) done();
  }

  async function takeOnce(worker: string, atOnce: boolean): Promise<void> {
    const limit = broker.places - hands.size();
    if (limit > 0) {
      const wait = atOnce ? 0 : waitMs;
      const request = { worker, limit, assign: false, waitMs: wait, signal: nap.signal() };
      const tasks = await operations.claim(request);
      if (tasks.length > 0) keep(await handOut(tasks));
    } else if (!atOnce) await nap.for(waitMs);
  }

  function keep(tasks: readonly HandedOut[]): void {
    for (const task of tasks) recent.set(task.row.id, task);
    for (const id of recent.keys()) {
      if (recent.size <= recentMax) break;
      recent.delete(id);
    }
  }

  async function recover(worker: string, error: unknown): Promise<void> {
    const isGone = error instanceof Problem && error.code === "worker-not-found";
    try {
      if (!isGone) throw error;
      await there.again(worker);
    } catch (cause) {
      log.warn("internal tasks could not be taken", { error: cause });
      await nap.for(retryMs);
    }
  }

  async function end(graceMs: number): Promise<void> {
    nap.end();
    await taking;
    const until = clock.now() + graceMs;
    while (hands.isBusy() && clock.now() < until) await nap.for(until - clock.now());
    await hands.releaseAll("server_stopping");
    await there.end().catch((error) => log.warn("the executors could not sign off", { error }));
    await broker.stop();
    hands.stop();
  }

  return {
    async start() {
      await there.begin(await broker.start(hands.reports));
      taking = take();
    },
    handedOut: (id) => recent.get(id),
    dispatch() {
      if (stopping !== null || taking === null || hands.size() >= broker.places) return Promise.resolve();
      return new Promise((resolve) => {
        asked.push(resolve);
        nap.end();
      });
    },
    stop(graceMs) {
      stopping ??= end(graceMs);
      return stopping;
    },
  };
}
