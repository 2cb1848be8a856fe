// A broker over RabbitMQ: executors are processes of their own (amqp-executor.ts). Which jobs there are is said by the
// server's own file; only executors with the same version of it are given its tasks. RabbitMQ may lose, repeat and delay
// what it is given: an assignment that nobody asks for is put into the queue again, a handler runs only for the first who
// asks, and an ending is told until it was heard.

import type { Assignment, Ending, InternalJob } from "../../core/internal-job.ts";
import type { Broker, Reports } from "../../ports/broker.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import {
  assignmentQueue,
  type Posted,
  serverQueue,
  type ToExecutor,
  type ToServer,
  versionOf,
} from "../../protocol/internal/amqp.ts";
import { crew } from "./crew.ts";
import { executorWords } from "./executor-words.ts";
import { lookingAfter } from "./looking-after.ts";
import { holdOf, type Out, outgoing, stopped } from "./outgoing.ts";
import { type RabbitWire, rabbitWire } from "./rabbit-wire.ts";

export interface AmqpBrokerOptions {
  readonly url: string;
  /** Of this server, and of nobody else. */
  readonly id: string;
  /** How many assignments may be out at once, however many executors there are. */
  readonly places: number;
  /** Answers which jobs the server's file has. Throws when it cannot be used. */
  describe(): Promise<readonly InternalJob[]>;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "debug">;
}

/** An executor that has been silent for so long is gone. */
const lostMs = 5_000;
/** How long handlers have to end when the broker is stopped. */
const stopWithinMs = 3_000;

export function amqpBroker(options: AmqpBrokerOptions): Broker {
  const { clock } = options;
  const executors = crew(clock, lostMs);
  const outs = outgoing();
  let known = new Set<string>();
  let line: Line | null = null;
  let stopping: Promise<void> | null = null;

  const places = (): number => (line?.isUp() ? Math.min(options.places, executors.places(line.version)) : 0);

  async function dispatch(assignment: Assignment): Promise<boolean> {
    if (stopping !== null || line === null || !known.has(assignment.job) || outs.size() >= places()) return false;
    const out = outs.add(assignment, clock.now());
    // Without a confirmation it may be there all the same, and somebody may have it.
    return (await line.put(out)) || out.executor !== null || !outs.drop(out);
  }

  async function end(): Promise<void> {
    for (const out of outs.all()) line?.abort(out, "The server stops");
    const { promise, resolve } = Promise.withResolvers<void>();
    const hurry = clock.alarm(clock.now() + stopWithinMs, resolve);
    if (line?.isUp()) await Promise.race([outs.empty(), promise]);
    hurry();
    for (const out of outs.all()) line?.finish(out, stopped("The server stopped before it had ended"));
    await line?.stop();
  }

  return {
    get places() {
      return places();
    },
    async start(reports) {
      const jobs = await options.describe();
      known = new Set(jobs.map(({ name }) => name));
      line = lineTo(options, { version: versionOf(jobs), reports, executors, outs });
      return jobs;
    },
    dispatch: (assignments) => Promise.all(assignments.map(dispatch)),
    abort(hold, reason) {
      const out = outs.get(hold);
      if (out !== undefined) line?.abort(out, reason);
    },
    stop() {
      stopping ??= end();
      return stopping;
    },
  };
}

interface LineParts {
  readonly version: string;
  readonly reports: Reports;
  readonly executors: ReturnType<typeof crew>;
  readonly outs: ReturnType<typeof outgoing>;
}

/** A server's connection to the executors that have its version of the jobs. */
interface Line {
  readonly version: string;
  isUp(): boolean;
  /** Answers whether the assignment is in the queue. */
  put(out: Out): Promise<boolean>;
  abort(out: Out, reason: string): void;
  finish(out: Out, ending: Ending): void;
  stop(): Promise<void>;
}

function lineTo({ url, id, clock, log }: AmqpBrokerOptions, { version, reports, executors, outs }: LineParts): Line {
  const server = serverQueue(id);
  const queue = assignmentQueue(version);
  const words = executorWords({ clock, reports, crew: executors, outs, server, send, finish });
  const hear = (message: unknown): void => words(message as ToServer);
  const wire: RabbitWire = rabbitWire({ url, queue: server, hearsAll: true, clock, log, hear, changed });
  const looking = lookingAfter({ clock, log, wire, executors, outs, version, reports, put, abort, finish });

  async function send(executor: string, message: ToExecutor): Promise<void> {
    await wire.send(executor, message);
  }

  function changed(): void {
    if (wire.upSince() !== null) void wire.depth(queue);
    reports.placed();
  }

  async function put({ assignment }: Out): Promise<boolean> {
    const posted: Posted = { server, assignment };
    const isThere = await wire.send(queue, posted, true);
    // Where somebody has deleted the queue, it is there again after a look at it.
    if (isThere === false && (await wire.depth(queue)) !== null) return (await wire.send(queue, posted, true)) === true;
    return isThere === true;
  }

  function finish(out: Out, ending: Ending): void {
    if (outs.drop(out)) reports.ended(out.assignment, ending);
  }

  function abort(out: Out, reason: string): void {
    const { executor, assignment } = out;
    out.aborted = reason;
    if (executor === null) finish(out, stopped(reason));
    else void send(executor, { type: "abort", server, hold: holdOf(assignment), reason });
  }

  return {
    ...{ version, put, abort, finish, isUp: () => wire.upSince() !== null },
    async stop() {
      looking.stop();
      await wire.stop();
    },
  };
}
