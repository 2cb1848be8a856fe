// The servers on this database: whoever may ask for anything may know of them.

import { type Principal, requireSuperuser } from "../../core/access.ts";
import type { NodeRecord } from "../../ports/records.ts";
import type { Operations } from "../engine.ts";
import { type KnownLoad, knownLoad } from "../node-load.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Swept } from "../sweeper.ts";

export interface NodeView extends Omit<NodeRecord, "load"> {
  /** False for one that has missed its pulses and has not signed off. */
  readonly online: boolean;
  readonly leader: boolean;
  readonly load: KnownLoad;
}

/** By what this server decides about tasks of a message broker's consumers; null is never. */
export interface Thresholds {
  readonly timeoutMs: number | null;
  readonly stallMs: number | null;
  /** Where neither the task nor its job says so. */
  readonly maxRequeues: number;
}

export interface NodeDesk {
  /** The longest running first. */
  list(): Promise<NodeView[]>;
  /** One pass of the sweep, whoever leads. */
  sweep(who: Principal): Promise<Swept>;
  thresholds(): Thresholds;
}

export interface NodeDeskParts {
  readonly operations: Pick<Operations, "sweeper">;
}

export function nodeDesk({ store, clock, settings }: Surroundings, { operations }: NodeDeskParts): NodeDesk {
  return {
    async sweep(who) {
      requireSuperuser(who);
      return operations.sweeper.tick();
    },
    thresholds() {
      const { timeoutMs, stallMs } = settings.profiles.amqp;
      return { timeoutMs, stallMs, maxRequeues: settings.maxRequeues };
    },
    async list() {
      const now = clock.now();
      const { nodes, leader } = await store.read("nodes", { now });
      return nodes
        .map((node) => ({
          ...{ ...node, load: knownLoad(node.load), leader: node.id === leader },
          online: now - node.seenAt < settings.leaderLeaseMs,
        }))
        .sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
    },
  };
}
