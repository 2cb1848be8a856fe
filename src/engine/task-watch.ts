// Watching a task for everyone at this server who follows it: its progress and its log, as they are written, at whatever
// server. What is heard are only hints that there is something to look at; a look is taken at most four times a second,
// and now and then without a hint, because one from another server may be lost.

import { isFinal, type TaskRow } from "../core/task-row.ts";
import type { LogLine, TaskRecord } from "../ports/records.ts";
import type { Surroundings } from "./surroundings.ts";

export interface TaskNews {
  /** Told whenever it has changed, and first of all how it is. */
  progress(task: TaskRecord): void;
  /** `from`: how many lines were before these. The last few that were there already come first. */
  lines(lines: readonly LogLine[], from: number): void;
}

const restMs = 250;
const stillMs = 15_000;
/** Lines of one look; if there are more, another one follows. */
const linesMax = 500;
/** So that nothing slips between the answer to whoever follows and the first look. */
const tailMax = 100;

type Parts = Pick<Surroundings, "store" | "bus" | "clock" | "log">;

/** Returns what ends it. */
export function watchTask({ store, bus, clock, log }: Parts, id: string, news: TaskNews): () => void {
  const itself = { now: 0, conditions: [{ kind: "prefixes", prefixes: [id], not: false }] } as const;
  let hints = { moved: true, logged: true };
  let shown = progressText(null);
  let from: number | null = null;
  let [looking, ended, over] = [false, false, false];
  let silence: () => void = () => undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;

  function hear(what: keyof typeof hints): void {
    hints[what] = true;
    if (!looking) lookAt(lookedAt + restMs);
  }

  function lookAt(at: number): void {
    silence();
    silence = clock.alarm(Math.max(at, clock.now()), () => void look());
  }

  async function look(): Promise<void> {
    const heard = hints;
    hints = { moved: false, logged: false };
    looking = true;
    lookedAt = clock.now();
    try {
      if (heard.moved) await lookAtTask();
      if (heard.logged) await lookAtLog();
    } catch (error) {
      log.debug("a task that is followed could not be looked at", { task: id, error });
    }
    looking = false;
    if (ended) return;
    if (hints.moved || hints.logged) lookAt(lookedAt + restMs);
    else if (!over) lookAgain();
  }

  function lookAgain(): void {
    silence = clock.alarm(clock.now() + stillMs, () => {
      hints = { moved: true, logged: true };
      void look();
    });
  }

  async function lookAtTask(): Promise<void> {
    // Without its payload and its result: they may be long, and say nothing new.
    const { found } = await store.read("taskScan", { pick: itself, before: null, rows: 1, limit: 1, want: "bare" });
    const task = found[0]?.record ?? undefined;
    over = task === undefined || isFinal(task.row.state);
    if (task === undefined || ended) return;
    const text = progressText(task.row);
    if (text !== shown) news.progress(task);
    shown = text;
  }

  async function lookAtLog(): Promise<void> {
    from ??= Math.max(0, (await store.read("logs", { task: id, limit: 0, offset: 0 })).total - tailMax);
    const { items } = await store.read("logs", { task: id, limit: linesMax, offset: from });
    if (items.length === 0 || ended) return;
    news.lines(items, from);
    from += items.length;
    if (items.length === linesMax) hints.logged = true;
  }

  const deafen = [bus.subscribe(`task:${id}`, () => hear("moved")), bus.subscribe(`log:${id}`, () => hear("logged"))];
  void look();
  return () => {
    ended = true;
    silence();
    for (const end of deafen) end();
  };
}

/** All that progress is made of. */
function progressText(row: Pick<TaskRow, "progress" | "children"> | null): string {
  return JSON.stringify([row?.progress ?? null, row?.children ?? null]);
}
