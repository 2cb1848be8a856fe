// Who is connected to this server, and how one comes in, goes on elsewhere, and leaves.

import { type Principal, requireWrite } from "../../core/access.ts";
import type { OpenTask, WorkerRecord } from "../../ports/records.ts";
import type { Catalog as CatalogChange } from "../../ports/store-reads.ts";
import type { WorkDeskParts, WorkLine, WorkRegistration, WorkSession } from "../desks/work-desk.ts";
import type { HeldAttempt } from "../letting-go.ts";
import type { Surroundings } from "../surroundings.ts";
import { type Guest, guest, movedTo } from "./guest.ts";
import { hands } from "./in-hand.ts";
import { recordOf } from "./registration.ts";
import { linksOf } from "./spec-verdicts.ts";

export interface WorkEntries {
  enter(who: Principal, words: WorkRegistration, line: WorkLine): Promise<WorkSession>;
  stop(): void;
}

export function workEntries(around: Surroundings, parts: WorkDeskParts): WorkEntries {
  const { store, bus, clock, ids } = around;
  const { operations } = parts;
  const guests = new Map<string, Guest>();

  operations.catalog.onChange((change: CatalogChange) => {
    for (const worker of change.workers) guests.get(worker.id)?.recordChanged(worker);
    if (change.jobs.length === 0) return;
    const names = new Set(change.jobs.map(({ name }) => name));
    for (const each of guests.values()) each.jobsChanged(names);
  });

  async function enter(who: Principal, words: WorkRegistration, line: WorkLine): Promise<WorkSession> {
    requireWrite(who);
    const links = linksOf(who, words.specs);
    const entry = ids.next();
    const former = await formerOf(who, words.resume);
    // Before it is looked at what the worker holds: from then on nothing may be given to its last connection.
    if (former !== null) replaceOlder(former.id, entry);
    const listed = former === null ? [] : (words.resume?.held ?? []);
    const record = await operations.workers.register({
      ...recordOf(words),
      ...{ profile: "work", owner: who.user, jobs: links, announces: true },
      ...(former !== null && { id: former.id, holds: listed }),
    });
    const kept = await keptOf(record.id, listed);
    return welcome(who, { words, line, record, entry, former, listed: words.resume?.held ?? [], kept });
  }

  function replaceOlder(worker: string, entry: string): void {
    const here = guests.get(worker);
    if (here !== undefined && here.entry < entry) here.end("replaced");
    bus.publish(`worker:${worker}`, `${movedTo}${entry}`);
  }

  /** The worker that comes back, if it can prove that it is. */
  async function formerOf(who: Principal, resume: WorkRegistration["resume"]): Promise<WorkerRecord | null> {
    if (resume === null || !operations.isResumeToken(resume.worker, resume.token)) return null;
    const id = resume.worker;
    const known = operations.catalog.worker(id) ?? (await store.read("workers", { ids: [id] }))[0];
    if (known?.owner !== who.user || known.profile !== "work") return null;
    // Where thousands come back at once its turn may be late, but it has been heard. One that was given up is not helped.
    await operations.beat(id).catch(() => undefined);
    return known;
  }

  /**
   * An end that was told and not heard of is told once more: such a task is still its own. One that was cancelled is not:
   * nobody could tell a worker that was away.
   */
  async function keptOf(worker: string, listed: readonly HeldAttempt[]): Promise<ReadonlyMap<string, OpenTask>> {
    const attempts = new Map(listed.map(({ task, attempt }) => [task, attempt]));
    const kept = new Map<string, OpenTask>();
    const all = [...attempts.keys()];
    for (let from = 0; from < all.length; from += readMax) {
      for (const { card, row } of await store.read("tasks", { ids: all.slice(from, from + readMax) })) {
        const isTheirs = row.worker === worker && row.attempt === attempts.get(card.id);
        if (isTheirs && row.state !== "cancelled") kept.set(card.id, { card, row });
      }
    }
    return kept;
  }

  function welcome(who: Principal, { words, line, record, entry, former, listed, kept }: Arrival): WorkSession {
    const { id } = record;
    const resumed = former !== null;
    const inHand = hands();
    const now = clock.now();
    for (const [task, open] of kept) inHand.hold({ task, attempt: open.row.attempt, seq: 0, sentAt: now, open });
    const here = guest(around, { ...parts, ...{ who, words, line, record, hands: inHand, resumed, former, entry } });
    const other = guests.get(id);
    // One that came later may be through sooner.
    if (other !== undefined && other.entry > entry) here.end("replaced");
    else {
      replaceOlder(id, entry);
      guests.set(id, here);
    }
    return {
      ...{ worker: id, token: operations.resumeToken(id), resumed },
      lost: listed.filter(({ task }) => !kept.has(task)),
      ...{ verdicts: here.verdicts, beat: here.beat, alive: here.alive, relief: here.relief },
      ...{ change: here.change, tick: here.tick },
      async leave(how) {
        if (guests.get(id) === here) guests.delete(id);
        await here.leave(how);
      },
    };
  }

  return {
    enter,
    stop() {
      for (const each of guests.values()) each.end(null);
      guests.clear();
    },
  };
}

interface Arrival {
  readonly words: WorkRegistration;
  readonly line: WorkLine;
  readonly record: WorkerRecord;
  readonly entry: string;
  readonly former: WorkerRecord | null;
  readonly listed: readonly HeldAttempt[];
  readonly kept: ReadonlyMap<string, OpenTask>;
}

const readMax = 500;
