// The server that is asked, and what it stands on: how large the database is and how long it takes to answer, whether the
// broker is there, what the sweep does. For tokens that see everything; the settings are for superusers.

import { isSuperuser, type Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { StoreSize } from "../../ports/store-size.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import type { SweepRecord } from "../sweeper.ts";

/** What the engine cannot know of the server around it. */
export interface ServerFacts {
  /** Null where none is configured. The URL has no password. */
  readonly broker: { readonly url: string; isUp(): boolean; awaySince(): number | null } | null;
  /** Without secrets. */
  readonly settings: readonly SettingFact[];
  /** Calls to the store since the start of this server, by name. */
  storeCalls(): ReadonlyMap<string, CallFact>;
}

export interface SettingFact {
  readonly name: string;
  readonly value: string | null;
  readonly source: string | null;
}

export interface CallFact {
  readonly calls: number;
  readonly totalMs: number;
  readonly meanMs: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}

export interface BrokerView {
  readonly url: string;
  readonly connected: boolean;
  /** Since when it is away. */
  readonly awaySince: number | null;
  readonly queues: readonly {
    readonly name: string;
    readonly ready: number | null;
    readonly consumers: number | null;
  }[];
}

export interface SystemView {
  readonly version: string;
  readonly node: string;
  readonly startedAt: number;
  readonly now: number;
  readonly store: StoreSize;
  /** Those that took the most time in all, first. */
  readonly calls: readonly (CallFact & { readonly name: string })[];
  readonly broker: BrokerView | null;
  readonly sweeps: SweepRecord;
  readonly retentionMs: number | null;
  readonly idempotencyKeepMs: number;
  /** Null for whoever is no superuser. */
  readonly settings: readonly SettingFact[] | null;
}

export interface SystemDesk {
  look(who: Principal): Promise<SystemView>;
}

export interface SystemDeskParts {
  readonly operations: Pick<Operations, "nodeId" | "sweeper" | "brokerLooks">;
  readonly facts: ServerFacts;
}

/** However many ask, the database is asked no more often than this. */
export const sizeEveryMs = 10_000;
const callsMax = 20;

export const noFacts: ServerFacts = { broker: null, settings: [], storeCalls: () => new Map() };

export function systemDesk(
  { store, clock, settings }: Pick<Surroundings, "store" | "clock" | "settings">,
  { operations, facts }: SystemDeskParts,
): SystemDesk {
  const startedAt = clock.now();
  const sizes = cached(
    () => store.read("size", {}),
    () => clock.now(),
  );

  async function broker(): Promise<BrokerView | null> {
    if (facts.broker === null) return null;
    const { url } = facts.broker;
    const queues = await Promise.all([...settings.brokerQueues.keys()].map(queueView));
    return { url, connected: facts.broker.isUp(), awaySince: facts.broker.awaySince(), queues };
  }

  async function queueView(name: string) {
    const look = (await operations.brokerLooks(name))?.look ?? null;
    return { name, ready: look?.waiting ?? null, consumers: look?.consumers ?? null };
  }

  return {
    async look(who) {
      if (who.rooms !== null) throw new Problem("forbidden", "Only a token without a limit to rooms may do this");
      const calls = [...facts.storeCalls()].map(([name, call]) => ({ name, ...call }));
      return {
        ...{ version: settings.node.version, node: operations.nodeId, startedAt, now: clock.now() },
        store: await sizes(),
        calls: calls.sort((a, b) => b.totalMs - a.totalMs).slice(0, callsMax),
        broker: await broker(),
        sweeps: operations.sweeper.record(),
        ...{ retentionMs: settings.retentionMs, idempotencyKeepMs: settings.idempotencyKeepMs },
        settings: isSuperuser(who) ? facts.settings : null,
      };
    },
  };
}

/** Whoever asks while it is being found out waits for the same answer; a failure is not kept. */
function cached<T>(find: () => Promise<T>, now: () => number): () => Promise<T> {
  let known: { readonly at: number; readonly answer: Promise<T> } | null = null;
  return () => {
    if (known !== null && now() - known.at < sizeEveryMs) return known.answer;
    const mine = { at: now(), answer: find() };
    known = mine;
    mine.answer.catch(() => {
      if (known === mine) known = null;
    });
    return mine.answer;
  };
}
