// What this server's executors, or the targets of its push jobs, have in hand, and what they say about it. Nothing they
// say counts unless the attempt is still theirs: the fence is the same as for every worker. Whatever ends a task elsewhere
// (a cancel, a timeout, a lost session) reaches the handler as an abort.

import type { Ending, Hold } from "../../core/internal-job.ts";
import type { Problem } from "../../core/problem.ts";
import type { Move } from "../../core/task.ts";
import type { Broker, Reports } from "../../ports/broker.ts";
import type { ClaimedTask, TaskCard } from "../../ports/records.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import { attemptEndings, type EndingParts } from "./attempt-endings.ts";
import { spokenWords } from "./spoken-words.ts";

export interface InHandParts extends EndingParts {
  readonly operations: Pick<Operations, "settle" | "progress" | "records">;
  readonly broker: Pick<Broker, "abort">;
  /** A place is free, or there are more or fewer of them. */
  freed(): void;
}

interface Held {
  readonly hold: Hold;
  readonly card: TaskCard;
  /** The attempt is not ours any more: what the handler still says is not asked for. */
  over: boolean;
  readonly deafen: () => void;
}

export interface InHand {
  readonly reports: Reports;
  /** How many places are taken. */
  size(): number;
  /** Whether a handler runs whose outcome will count. */
  isBusy(): boolean;
  add(task: ClaimedTask): Hold;
  /** It was not taken after all. */
  drop(hold: Hold): void;
  /** Aborts what is not ours any more. */
  look(): Promise<void>;
  abortAll(reason: string): void;
  /** Hands everything back, in good order; nothing is tried twice from now on. */
  releaseAll(reason: string): Promise<void>;
  settle(hold: Hold, move: Move): Promise<Problem | null>;
  stop(): void;
}

export function inHand(around: Surroundings, parts: InHandParts): InHand {
  const { store, bus, log } = around;
  const { operations, broker } = parts;
  const holds = new Map<string, Held>();
  const endings = attemptEndings(around, parts);
  const { settle } = endings;

  function add({ card, row }: ClaimedTask): Hold {
    const hold = { task: card.id, attempt: row.attempt, worker: row.worker as string };
    // The message says that something happened, not to which attempt; whoever hears it looks.
    const deafen = bus.subscribe(`task:${card.id}`, (state) => {
      if (state !== "claimed" && state !== "running") void look();
    });
    holds.set(keyOf(hold), { hold, card, over: false, deafen });
    return hold;
  }

  function drop(hold: Hold): void {
    holds.get(keyOf(hold))?.deafen();
    if (holds.delete(keyOf(hold))) parts.freed();
  }

  async function look(): Promise<void> {
    const ours = [...holds.values()].filter(({ over }) => !over);
    if (ours.length === 0) return;
    try {
      const records = await store.read("tasks", { ids: [...new Set(ours.map(({ hold }) => hold.task))] });
      const rows = new Map(records.map(({ row }) => [row.id, row]));
      for (const held of ours) {
        const row = rows.get(held.hold.task);
        const open = row?.state === "claimed" || row?.state === "running";
        const { attempt, worker } = held.hold;
        if (!open || row.attempt !== attempt || row.worker !== worker) giveUp(held, reasonOf(row?.state));
      }
    } catch (error) {
      log.debug("tasks could not be looked after", { error });
    }
  }

  function giveUp(held: Held, reason: string): void {
    if (held.over) return;
    held.over = true;
    broker.abort(held.hold, reason);
  }

  async function started(hold: Hold): Promise<boolean> {
    const held = holds.get(keyOf(hold));
    if (held === undefined || held.over) return false;
    const refused = await settle(hold, { type: "start" });
    if (refused !== null) held.over = true;
    return !held.over;
  }

  async function ended(hold: Hold, ending: Ending): Promise<void> {
    const held = holds.get(keyOf(hold));
    if (held === undefined) return;
    try {
      if (!held.over) await endings.close(held.hold, held.card, ending);
    } finally {
      drop(hold);
    }
  }

  const reports: Reports = {
    started: (hold) => started(hold).catch(() => false),
    ...spokenWords(around, { operations, cardOf: (hold) => holds.get(keyOf(hold))?.card }),
    ended(hold, ending) {
      ended(hold, ending).catch((error) => log.error("a task could not be ended", { hold, error }));
    },
    placed: () => parts.freed(),
  };

  return {
    ...{
      reports,
      add,
      drop,
      look,
      settle,
      size: () => holds.size,
      isBusy: () => [...holds.values()].some(({ over }) => !over),
    },
    abortAll(reason) {
      for (const held of holds.values()) giveUp(held, reason);
    },
    async releaseAll(reason) {
      endings.hurry();
      const ours = [...holds.values()].filter(({ over }) => !over);
      for (const held of ours) giveUp(held, reason);
      await Promise.all(ours.map(({ hold }) => settle(hold, { type: "release", reason })));
    },
    stop() {
      for (const { deafen } of holds.values()) deafen();
      holds.clear();
    },
  };
}

function keyOf({ task, attempt }: Hold): string {
  return `${task} ${attempt}`;
}

function reasonOf(state: string | undefined): string {
  if (state === "cancelled") return "The task was cancelled";
  return state === "failed" ? "The task has failed" : "The task is in other hands";
}
