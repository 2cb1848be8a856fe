// A manager's signs of life. It beats by itself, the way its host speaks with the server; while a handler blocks the event
// loop, and the timer with it, a thread beats in its place.

import { beatMsMax } from "../heartbeat/beat-limit.ts";
import { heart as threadHeart } from "../heartbeat/heart.ts";
import { processUse } from "../heartbeat/process-use.ts";
import type { FromThread } from "../heartbeat/words.ts";
import { answering } from "../worker/answering.ts";
import { logOf } from "../worker/options.ts";
import { timedHeart } from "./heart.ts";
import type { Held } from "./held.ts";
import { type ApiManager, type Ask, hasStatus, isForbidden } from "./host-api.ts";
import type { Life, ManagerLog } from "./life.ts";
import type { Registry } from "./registry.ts";

export interface Beating {
  /** Starts what is not yet started. */
  start(): void;
  /** Beats without waiting for the next time. */
  now(): void;
  beat(): Promise<void>;
  stop(): Promise<void>;
}

export interface BeatingParts {
  readonly url: string;
  readonly intervalMs: number;
  readonly ask: Ask;
  /** Those of the latest request. */
  headers(): Readonly<Record<string, string>>;
  readonly life: Life;
  readonly held: Pick<Held, "cancel" | "evict">;
  readonly log: ManagerLog;
  registry(): Registry;
}

type Told = Pick<Extract<FromThread, { type: "beaten" }>, "cancel" | "commands">;

export function beating({ url, intervalMs, ask, headers, life, held, log, registry }: BeatingParts): Beating {
  const heart = timedHeart({ intervalMs, beat });
  const use = processUse();
  // A manager that is paused, drains, or is full is given nothing, so there is nothing else to obey than an eviction.
  const answer = answering(
    { request: (method, path, { body } = {}) => ask(method, path, { body }) },
    { log: logOf(null), setConcurrency() {}, handBack() {}, letGo: held.evict, onCommand() {} },
  );
  const standIn = threadHeart({
    ...{ url, everyMs: intervalMs, socket: false, onlyWhenBlocked: true },
    onWord(word) {
      if (word.type === "beaten") hear(word.worker, word);
      // Whatever is wrong, the host's own way tells better.
      else heart.now();
    },
    onDeath: (error) => log.warn("Heartbeats will be missed while the event loop is blocked", error),
  });

  function hear(workerId: string, { cancel = [], commands = [] }: Partial<Told>): void {
    // What an operator has taken away is among both, and only the command says so.
    answer(workerId, commands);
    for (const taskId of cancel) held.cancel(taskId);
  }

  async function beat(): Promise<void> {
    const { workerId } = registry();
    if (workerId === null) return;
    try {
      // That it beats by itself says that nothing blocks it, whatever the thread said before.
      const how = { body: { status: use(), blocked_ms: 0 }, timeoutMs: beatMsMax(intervalMs) };
      const { body } = await ask<Partial<Told>>("PATCH", `/workers/${workerId}`, how);
      hear(workerId, body);
      prepareStandIn(workerId);
    } catch (error) {
      if (isForbidden(error)) return life.fail(error);
      if (!hasStatus(error, 404)) throw error;
      await registry().revive(workerId);
    }
  }

  function prepareStandIn(workerId: string | null): void {
    if (workerId !== null && !life.over.aborted) standIn.start(workerId, [], headers());
  }

  return {
    beat,
    now: heart.now,
    start() {
      heart.start();
      prepareStandIn(registry().workerId);
    },
    async stop() {
      heart.stop();
      await standIn.stop();
    },
  };
}

/** The host's way to its server, with the headers of the latest request noted. */
export function noting(api: ApiManager, note: (headers: Readonly<Record<string, string>>) => void): ApiManager {
  return {
    http: (...request) => api.http(...request),
    baseUrl: api.baseUrl,
    raiseForStatus: (response) => api.raiseForStatus(response),
    async getHeaders() {
      const headers = await api.getHeaders();
      note(headers);
      return headers;
    },
  };
}
