// Asking providers. A question is asked once, by whoever finds that nobody is asking it, on any server; all others wait
// for the same answer. A wait wakes on the event, ends on time and holds no connection.
//
// A question stays on its way for its time, whoever gives up waiting for it: a slow provider would otherwise be asked
// the same again by every impatient caller, and be slower still. But where nobody hears the provider's requests, nobody
// was asked: then the question does not count as on its way, and the next look tries again.

import { Problem } from "../core/problem.ts";
import type { ProviderQuestion } from "../core/provider.ts";
import type { ProviderRecord } from "../ports/records.ts";
import type { ProviderResult, ResultKey, ResultStore } from "../ports/result-store.ts";
import { announce, announceAt } from "./announce.ts";
import type { Surroundings } from "./surroundings.ts";

export interface ProviderReads {
  /** Null when the time is over. Even who does not wait has the provider asked. */
  read(
    provider: ProviderRecord,
    question: ProviderQuestion,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<ProviderAnswer | null>;
  /** A result that the provider was asked for, or one that it has ready beforehand. */
  keep(provider: ProviderRecord, hash: string, bytes: Uint8Array): Promise<void>;
  waiting(): number;
  /** Ends all waits. */
  stop(): void;
}

export interface ProviderAnswer {
  readonly result: ProviderResult;
  readonly waited: boolean;
}

/** A message may be lost, and a provider may begin to listen: this often a wait looks for itself. */
const lookMs = 1_000;

export function providerReads(around: Surroundings): ProviderReads {
  const { store, bus, clock, settings } = around;
  const { results } = store;
  const look = sharedLooks(results, () => clock.now());
  const room = trimming(around);
  const wakes = new Set<() => void>();
  let stopped = false;

  async function read(provider: ProviderRecord, question: ProviderQuestion, waitMs: number, signal?: AbortSignal) {
    const key = { provider: provider.id, hash: question.hash };
    const until = clock.now() + waitMs;
    const ready = await look(key);
    return ready === null ? wait(provider, question, key, until, signal) : { result: ready, waited: false };
  }

  /** Listens first and looks then, so that nothing slips between. */
  async function wait(
    provider: ProviderRecord,
    question: ProviderQuestion,
    key: ResultKey,
    until: number,
    signal?: AbortSignal,
  ): Promise<ProviderAnswer | null> {
    let woken = false;
    let wake: () => void = () => {};
    const rouse = (): void => {
      woken = true;
      wake();
    };
    const deafen = bus.subscribe(topicOf(key), rouse);
    wakes.add(rouse);
    signal?.addEventListener("abort", rouse);
    try {
      for (let isFirst = true; ; isFirst = false) {
        woken = false;
        const result = await look(key);
        if (result !== null) return { result, waited: true };
        const over = clock.now() >= until;
        if (stopped || signal?.aborted === true || (over && !isFirst)) return null;
        // It may have been registered anew since, by another worker.
        const current = isFirst ? provider : await store.read("provider", { id: provider.id });
        if (current !== null) await ask(current, question, key);
        if (over) return null;
        await new Promise<void>((resolve) => {
          const silence = clock.alarm(Math.min(until, clock.now() + lookMs), resolve);
          wake = () => {
            silence();
            resolve();
          };
          if (woken || stopped) wake();
        });
      }
    } finally {
      signal?.removeEventListener("abort", rouse);
      wakes.delete(rouse);
      deafen();
    }
  }

  async function ask({ name, worker }: ProviderRecord, { text }: ProviderQuestion, key: ResultKey): Promise<void> {
    const topic = `providers:${worker}:${name}`;
    if (!bus.wanted(topic)) return;
    const now = clock.now();
    if (!(await results.begin(key, now, now + settings.providerInflightMs))) return;
    announce(bus, topic, "provider_request", { request_id: key.hash, provider_name: name, params: text });
  }

  async function keep(provider: ProviderRecord, hash: string, bytes: Uint8Array): Promise<void> {
    const { id, name, contentType } = provider;
    const [now, key] = [clock.now(), { provider: id, hash }];
    const kept = await results.put(key, { contentType, bytes }, now, now + settings.providerResultMs);
    if (!kept) throw new Problem("provider-not-found", `Provider ${id} does not exist`);
    bus.publish(topicOf(key));
    const place = { rooms: [provider.room], job: null };
    announceAt(bus, place, "provider_result_ready", () => ({ provider_name: name, request_hash: hash }));
    room.kept(bytes.length);
  }

  return {
    read,
    keep,
    waiting: () => wakes.size,
    stop() {
      stopped = true;
      room.stop();
      for (const rouse of wakes) rouse();
    },
  };
}

const topicOf = ({ provider, hash }: ResultKey): string => `provider:${provider}:${hash}`;

/** Whoever looks for the same result in the same turn of the event loop looks once: a result may be large. */
function sharedLooks(results: ResultStore, now: () => number): (key: ResultKey) => Promise<ProviderResult | null> {
  const next = new Map<string, Promise<ProviderResult | null>>();
  return (key) => {
    const topic = topicOf(key);
    const known = next.get(topic);
    if (known !== undefined) return known;
    const look = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      next.delete(topic);
      return results.get(key, now());
    });
    next.set(topic, look);
    return look;
  };
}

/** Adding up all results takes a while, so it is done after every so many bytes, and when the last have expired. */
function trimming({ store, clock, log, settings }: Surroundings) {
  const { providerCacheBytesMax: bytesMax, providerResultMs } = settings;
  let bytes = 0;
  let lastEnd = 0;
  let silence: (() => void) | null = null;
  let stopped = false;

  function trim(): void {
    bytes = 0;
    store.results.trim(clock.now(), bytesMax).catch((error) => {
      log.warn("results of providers could not be trimmed", { error });
    });
  }

  function setAlarm(): void {
    if (silence !== null || stopped) return;
    silence = clock.alarm(lastEnd, () => {
      silence = null;
      trim();
      if (lastEnd > clock.now()) setAlarm();
    });
  }

  return {
    kept(added: number): void {
      bytes += added;
      lastEnd = clock.now() + providerResultMs;
      setAlarm();
      if (bytes >= bytesMax / 16) trim();
    },
    stop(): void {
      stopped = true;
      silence?.();
    },
  };
}
