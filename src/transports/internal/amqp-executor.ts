// A process that runs internal jobs for servers it knows only by what they put into RabbitMQ. It takes an assignment for
// each free place, asks the server that wants it done, and runs it in a thread; what handlers say goes back to that server,
// and an ending is told until it was heard. What a server wanted that is gone is dropped.

import type { Broker } from "../../ports/broker.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import {
  assignmentQueue,
  executorQueue,
  type Posted,
  type ToExecutor,
  type ToServer,
  versionOf,
} from "../../protocol/internal/amqp.ts";
import { type Intake, intake } from "./intake.ts";
import { handedBack, holdOf } from "./outgoing.ts";
import { type RabbitWire, rabbitWire } from "./rabbit-wire.ts";
import { type ServedTask, servedTasks, type Words } from "./served-tasks.ts";

export interface AmqpExecutorOptions {
  readonly url: string;
  /** Of this process, and of nobody else. */
  readonly id: string;
  /** Runs the handlers. */
  readonly threads: Broker;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "debug">;
}

export interface AmqpExecutor {
  /** Answers how many jobs it has. Does not wait for RabbitMQ. Throws when the jobs cannot be used. */
  start(): Promise<number>;
  /** Resolves when all its places first stand in the queue of assignments, however long RabbitMQ is away. */
  standing(): Promise<void>;
  /** Takes nothing more; handlers have so long to end, and what has not ended then goes back to its server. */
  stop(graceMs: number): Promise<void>;
}

const lookMs = 1_000;
/** A server whose queue has been missing for so long does not come back. */
const serverGoneMs = 15_000;
/** How long the last endings may take to be heard. */
const farewellMs = 2_000;

export function amqpExecutor({ url, id, threads, clock, log }: AmqpExecutorOptions): AmqpExecutor {
  const executor = executorQueue(id);
  const tasks = servedTasks({ threads, tell, changed: moved });
  let wire: RabbitWire | null = null;
  let taking: Intake | null = null;
  let version = "";
  let quiet = (): void => {};
  const { promise: standing, resolve: filled } = Promise.withResolvers<void>();
  let isLeaving = false;
  let stopping: Promise<void> | null = null;

  const isUp = (): boolean => wire?.upSince() != null;
  // Whoever leaves does not wait for a server to come back.
  const patienceMs = (): number => (isLeaving ? 0 : serverGoneMs);
  const running = (): readonly ServedTask[] => tasks.all().filter(({ ending }) => ending === null);

  async function tell(server: string, words: Words): Promise<boolean | null> {
    return (await wire?.send(server, { executor, ...words })) ?? null;
  }

  function moved(): void {
    taking?.fill();
    quiet();
  }

  async function announce(): Promise<void> {
    const places = isLeaving ? 0 : threads.places;
    await wire?.broadcast({ type: "alive", executor, version, places } satisfies ToServer);
  }

  const looking = everySoOften({ clock, log }, lookingFor({ clock, tasks, tell, isUp, announce, patienceMs }));

  function changed(): void {
    if (!isUp()) return;
    void announce();
    taking?.fill();
  }

  /** Resolves when it is so, or the time is over. */
  function until(isSo: () => boolean, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const hush = clock.alarm(clock.now() + ms, resolve);
      quiet = () => {
        if (!isSo()) return;
        hush();
        resolve();
      };
      quiet();
    });
  }

  async function end(graceMs: number): Promise<void> {
    isLeaving = true;
    // Handlers have their time, however long RabbitMQ takes to answer.
    const left = Promise.all([taking?.stop(), announce()]);
    await until(() => running().length === 0, graceMs);
    for (const { served } of running()) tasks.end(served, handedBack);
    await until(() => tasks.all().length === 0, farewellMs);
    looking.stop();
    await threads.stop();
    await left;
    await wire?.stop();
  }

  return {
    async start() {
      const jobs = await threads.start(tasks.reports);
      version = versionOf(jobs);
      const queue = assignmentQueue(version);
      const hear = (message: unknown): void => tasks.hear(message as ToExecutor);
      wire = rabbitWire({ url, queue: executor, hearsAll: false, clock, log, hear, changed });
      const free = (): number => threads.places - running().length;
      const take = (message: unknown): Promise<void> => tasks.take(message as Posted);
      taking = intake({ connection: wire.connection, queue, clock, log, free, filled, take });
      looking.start();
      return jobs.length;
    },
    standing: () => standing,
    stop(graceMs) {
      stopping ??= end(graceMs);
      return stopping;
    },
  };
}

interface LookingParts {
  readonly clock: Clock;
  readonly tasks: ReturnType<typeof servedTasks>;
  tell(server: string, words: Words): Promise<boolean | null>;
  isUp(): boolean;
  announce(): Promise<void>;
  /** How long a server may be missing before it is given up. */
  patienceMs(): number;
}

/** Tells every server that this process lives and what it has of theirs, and finds out which of them are gone. */
function lookingFor({ clock, tasks, tell, isUp, announce, patienceMs }: LookingParts): () => Promise<void> {
  const missing = new Map<string, number>();

  async function lookFor(server: string): Promise<void> {
    const theirs = tasks.all().filter(({ served, dropped }) => served.server === server && !dropped);
    const holds = theirs.filter(({ ending }) => ending === null).map(({ served }) => holdOf(served));
    const isThere = await tell(server, { type: "holding", holds });
    if (isThere === true) {
      missing.delete(server);
      for (const task of theirs) tasks.repeat(task);
    }
    if (isThere !== false) return;
    const since = missing.get(server) ?? clock.now();
    missing.set(server, since);
    if (clock.now() - since >= patienceMs()) for (const task of theirs) tasks.giveUp(task);
  }

  return async () => {
    if (!isUp()) return;
    await announce();
    const servers = new Set(tasks.all().map(({ served }) => served.server));
    for (const server of missing.keys()) if (!servers.has(server)) missing.delete(server);
    await Promise.all([...servers].map(lookFor));
  };
}

function everySoOften({ clock, log }: Pick<AmqpExecutorOptions, "clock" | "log">, look: () => Promise<void>) {
  let silence = (): void => {};
  let stopped = false;

  function next(): void {
    if (stopped) return;
    silence = clock.alarm(clock.now() + lookMs, () => {
      look()
        .catch((error) => log.warn("servers could not be told of internal tasks", { error }))
        .finally(next);
    });
  }

  return {
    start: next,
    stop() {
      stopped = true;
      silence();
    },
  };
}
