// Telling queues of a message broker what waits for them. The database alone says what is to be told: whoever is ready and
// has no message confirmed since its last change. So a message may be sent twice, or never arrive; it is told again until it
// arrives, and the claim refuses whom it reaches twice. The server that wrote something tells of it at once; whoever
// leads looks for what was left, and the others, now and then, for what was left by it. Nothing here is waited for: not by a commit, and not by the sweep.

import { leftoverMs, strandedMs } from "../../core/messages.ts";
import { isRecent } from "../../core/recent.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Courier, QueueKind } from "../../ports/courier.ts";
import type { Promoted, Pulse } from "../../ports/pulse.ts";
import type { Catalog } from "../catalog.ts";
import type { Effects } from "../effects.ts";
import type { Hearing } from "../hearing.ts";
import type { Moves } from "../moves.ts";
import type { Surroundings } from "../surroundings.ts";
import { emptiness } from "./emptiness.ts";
import { looking } from "./looking.ts";
import { operationQueue } from "./operation-queue.ts";
import { sortedOut } from "./sorted-out.ts";
import { type TaskQueue, taskQueue } from "./task-queue.ts";
import { unmapped } from "./unmapped.ts";

type Expected = Pick<Pulse, "lanes" | "outbox" | "nodes">;

export interface Publishing {
  /** What the pulse knows. Answers whether there may be something to tell. */
  expect(pulse: Expected): boolean;
  /** Tells what was left over, if the last look was a while ago. For whoever leads; does not wait for the broker. */
  look(): void;
  /** The same for all others, who look seldom, and for what has been left for longer. */
  lookBeside(): void;
  /** Became ready by themselves. */
  promoted(promoted: Promoted): void;
  /** Hears each time that the broker is there again: there may be much to tell. */
  onUp(listener: () => void): void;
  /** May be called twice. Sends what it can send now. */
  stop(): Promise<void>;
}

export interface PublishingParts {
  readonly catalog: Catalog;
  readonly effects: Effects;
  readonly moves: Pick<Moves, "locked" | "circumstances">;
  readonly courier: Courier;
  readonly hearing: Pick<Hearing, "awayUntil">;
}

/** A pass of the sweep that comes sooner than this after a look finds nothing else. */
const restMs = 500;
/** How often it is said that messages are kept for queues that are not mapped. */
const unmappedMs = 3_600_000;
/** How long a broker that does not answer is waited for at the end. */
const farewellMs = 2_000;

export function publishing(around: Surroundings, parts: PublishingParts): Publishing {
  const { clock, log, settings } = around;
  const { catalog, effects, courier, moves, hearing } = parts;
  const named = (kind: QueueKind) => [...settings.brokerQueues].flatMap(([name, is]) => (is === kind ? [name] : []));
  const limitOf = (lane: number): number | null => catalog.lane(lane)?.maxRunning ?? null;
  const servers = (): number => Math.max(1, expected.nodes.length);
  const common = { courier, servers };
  const tasks = new Map(named("job").map((queue) => [queue, taskQueue(around, { queue, ...common, moves, limitOf })]));
  const empty = emptiness(clock, courier, named("operation"));
  const operations = named("operation").map((queue) =>
    operationQueue(around, { queue, ...common, emptiness: empty, hearing }),
  );
  const byQueue = sortedOut<TaskQueue>(catalog, tasks);
  let expected: Expected = { lanes: [], outbox: false, nodes: [] };
  const kept = unmapped(around);
  const lookForUnmapped = looking(log, "it could not be looked for messages of queues that are not mapped");
  let unmappedLookedAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let lookedBesideAt = Number.NEGATIVE_INFINITY;
  let stopped = false;

  effects.onReady((ready) => {
    for (const [queue, mine] of byQueue(ready, ({ lane }) => lane)) queue.add(mine);
  });
  effects.onFreed((lane) => {
    if (limitOf(lane) !== null) for (const [queue] of byQueue([lane], (each) => each)) queue.freed(lane);
  });
  effects.onNoted((items) => {
    for (const queue of operations) queue.add(items);
  });

  function tellUnmapped(now: number): void {
    if (stopped || isRecent(unmappedLookedAt, now, unmappedMs)) return;
    unmappedLookedAt = now;
    lookForUnmapped(() => kept.look());
  }

  function lookFor(leftMs: number): void {
    for (const [queue, lanes] of byQueue(expected.lanes, (lane) => lane)) queue.look(lanes, leftMs);
    if (expected.outbox) for (const queue of operations) queue.look(leftMs);
  }

  return {
    expect(pulse) {
      expected = pulse;
      const isOutbox = pulse.outbox && operations.length > 0;
      return courier.isUp() && (isOutbox || byQueue(pulse.lanes, (lane) => lane).size > 0);
    },
    look() {
      const now = clock.now();
      tellUnmapped(now);
      if (stopped || !courier.isUp() || isRecent(lookedAt, now, restMs)) return;
      lookedAt = now;
      lookFor(leftoverMs);
    },
    lookBeside() {
      const now = clock.now();
      if (stopped || !courier.isUp() || isRecent(lookedBesideAt, now, strandedMs)) return;
      lookedBesideAt = now;
      lookFor(strandedMs);
    },
    promoted(promoted) {
      if (stopped || !courier.isUp()) return;
      const ids = new Set(promoted.tasks);
      for (const [queue, lanes] of byQueue(promoted.lanes, (lane) => lane)) queue.promoted(lanes, ids);
    },
    onUp(listener) {
      courier.onUp(() => {
        lookedAt = Number.NEGATIVE_INFINITY;
        const now = clock.now();
        // All that was left meanwhile is for whoever leads, who hears of it in the same moment; once, for a broker may come and go.
        if (!isRecent(lookedBesideAt, now, 2 * strandedMs)) lookedBesideAt = now;
        listener();
      });
    },
    async stop() {
      if (stopped) return;
      stopped = true;
      const all = [...tasks.values(), ...operations];
      await within(clock, farewellMs, Promise.all(all.map((queue) => queue.quiet())));
      for (const queue of all) queue.stop();
    },
  };
}

function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const silence = clock.alarm(clock.now() + ms, resolve);
    void work.finally(() => {
      silence();
      resolve();
    });
  });
}
