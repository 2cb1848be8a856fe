// Somebody who submits by the clock, to any server that is there, and keeps a book of what was accepted and when. What got no
// answer is asked again under the same key, of the next server.

import { setTimeout as pause } from "node:timers/promises";
import { type Entry, markedPayload } from "../../../src/testing/ledger.ts";
import type { Chance } from "../chance.ts";
import type { Caller } from "../rest/caller.ts";
import { type Deed, type JobName, jobs, room } from "./words.ts";

export interface Accepted extends Extract<Entry, { what: "accepted" }> {
  readonly at: number;
}

export interface LoadOptions {
  /** Asked in turn. */
  readonly callers: readonly Caller[];
  readonly tasks: number;
  readonly perSecond: number;
  /** In one request. */
  readonly together: number;
  readonly chance: Chance;
  /** Drawn from; one that is there twice is drawn twice as often. */
  readonly jobs: readonly JobName[];
  readonly msMax: number;
  /** No task is told to fail. */
  readonly isSmooth?: boolean;
  /** How many tries a submit may take; without it as many as it needs. */
  readonly triesMax?: number;
}

export interface Load {
  readonly accepted: readonly Accepted[];
  readonly faults: readonly string[];
  /** Resolves when all are accepted. */
  readonly done: Promise<void>;
  /** No more are submitted, and nothing is tried again. */
  stop(): void;
  /** What is under way, in words. */
  waiting(): string;
}

const underWayMax = 16;
const pauseMs = 100;
/** Whoever is stopped or cut off does not answer; a submit waits no longer than this for the next server. */
const patienceMs = 20_000;

export function startLoad(options: LoadOptions): Load {
  const { callers, tasks, perSecond, together, triesMax = Number.POSITIVE_INFINITY } = options;
  const accepted: Accepted[] = [];
  const faults: string[] = [];
  const underWay = new Set<Promise<void>>();
  const words = new Map<number, string>();
  let isOver = false;

  async function submit(call: number, of: number): Promise<void> {
    const wanted = Array.from({ length: of }, (_, nth) =>
      draw(options, { mark: `${call}/${nth}`, call: `${call}`, of }),
    );
    const body = `{"tasks":[${wanted.map(({ text }) => text).join(",")}]}`;
    const headers = { "idempotency-key": `load-${call}` };
    for (let tries = 1; faults.length === 0 && !(isOver && tries > 3); tries += 1) {
      words.set(call, `submit ${call}, try ${tries}, since ${new Date().toISOString()}`);
      const asked = callers[(call + tries) % callers.length]?.ask("POST", `/rooms/${room}/tasks`, { body, headers });
      const reply = (await Promise.race([asked, pause(patienceMs, null, { ref: false })])) ?? null;
      if (reply?.status === 202) {
        const at = Date.now();
        words.delete(call);
        for (const [nth, { payload }] of wanted.entries())
          accepted.push({ what: "accepted", id: reply.body.items[nth].id, payload, at });
        return;
      }
      if (reply !== null && reply.status !== 503)
        faults.push(`Submit ${call}: ${reply.status} ${JSON.stringify(reply.body)}`);
      else if (tries >= triesMax)
        faults.push(`Submit ${call}, try ${tries}: ${JSON.stringify(reply?.body ?? "no answer")}`);
      else await pause(pauseMs);
    }
  }

  async function go(): Promise<void> {
    const startedAt = Date.now();
    for (let asked = 0, call = 0; asked < tasks && !isOver && faults.length === 0; call += 1) {
      const of = Math.min(together, tasks - asked);
      const going: Promise<void> = submit(call, of).finally(() => underWay.delete(going));
      underWay.add(going);
      asked += of;
      while (underWay.size >= underWayMax) await Promise.race(underWay);
      await pause(Math.max(0, startedAt + (asked * 1_000) / perSecond - Date.now()));
    }
    await Promise.all(underWay);
  }

  function stop(): void {
    isOver = true;
  }
  return { accepted, faults, stop, done: go(), waiting: () => [...words.values()].slice(0, 10).join("; ") };
}

interface Mark {
  readonly mark: string;
  readonly call: string;
  readonly of: number;
}

function draw(
  { chance, jobs: names, msMax, isSmooth }: LoadOptions,
  mark: Mark,
): { readonly text: string; readonly payload: string } {
  const name = chance.oneOf(names) as JobName;
  // A push job is tried fifty times, which takes half a minute: none of its tasks fails for good.
  const fail = chance.happens(0.05) ? "once" : chance.happens(0.02) && name !== "pushed" ? "always" : undefined;
  const deed: Deed = {
    ms: chance.happens(0.5) ? chance.between(1, msMax) : 0,
    ...(fail !== undefined && !isSmooth && name !== "parent" && { fail }),
    ...(name === "parent" && { children: chance.between(1, 3) }),
  };
  const payload = markedPayload(mark, { ...deed });
  const queue = name === "night" ? `,"queue":"night"` : "";
  const priority = chance.between(0, 2);
  return { payload, text: `{"job":"${jobs[name]}","payload":${payload},"priority":${priority}${queue}}` };
}
