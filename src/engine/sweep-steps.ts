// The steps of a sweep, in the order in which they help each other. Each takes slices, so that nobody waits long.

import { judge, patienceWith } from "../core/deadline.ts";
import { holderWindowMs, momentMs, type ProfileName, profileNames, profileOf } from "../core/liveness.ts";
import { Problem } from "../core/problem.ts";
import { hourMs, hoursKeptMs, minutesKeptMs } from "../core/statistics.ts";
import type { Promoted } from "../ports/pulse.ts";
import type { OpenTask } from "../ports/records.ts";
import { rowsMax } from "../ports/store.ts";
import { announceJobs } from "./announcements.ts";
import type { Cancelling } from "./cancelling.ts";
import { cascadeKind } from "./cascade-note.ts";
import type { Catalog } from "./catalog.ts";
import type { Acts } from "./control/acts.ts";
import type { Agenda } from "./control/agenda.ts";
import type { Drains } from "./control/drains.ts";
import type { Counting } from "./counting.ts";
import { inSlices } from "./in-slices.ts";
import type { Choice } from "./locked-moves.ts";
import type { Moves } from "./moves.ts";
import { orphaned } from "./orphans.ts";
import { countKind } from "./parent-count.ts";
import type { Publishing } from "./publishing/publishing.ts";
import { loseWorkers, type SilenceParts, tellStates } from "./silence-steps.ts";
import type { Surroundings } from "./surroundings.ts";
import type { Workers } from "./workers.ts";

export interface SweepStep {
  readonly name: string;
  /** Safety nets need not be looked at with every deadline. */
  readonly everyMs: number;
  /** Answers how many things it changed. */
  run(now: number): Promise<number>;
  /** After a run: when there is something to do for it next that no deadline tells of. */
  nextAt?(): number | null;
}

export interface SweepParts extends SilenceParts {
  readonly catalog: Catalog;
  readonly moves: Moves;
  readonly workers: Workers;
  readonly cancelling: Cancelling;
  readonly counting: Counting;
  readonly agenda: Agenda;
  readonly drains: Drains;
  readonly acts: Pick<Acts, "look">;
  readonly promoted: (promoted: Promoted) => void;
  /** Where there is a message broker. */
  readonly publishing: Pick<Publishing, "look"> | null;
}

/** Workers, outbox items and jobs looked at in one go. */
const slice = 100;
const pruneSlice = 500;
const pruneSlicesMax = 200;

export function sweepSteps(around: Surroundings, parts: SweepParts): SweepStep[] {
  const everyMs = around.settings.sweepMs;
  return [
    { name: "promoted", everyMs: 0, run: (now) => promote(around, parts, now) },
    { name: "due", everyMs: 0, run: (now) => settleDue(around, parts, now) },
    { name: "told", everyMs: 0, run: (now) => tellStates(around, parts, now) },
    { name: "lost", everyMs: 0, run: (now) => loseWorkers(around, parts, now) },
    { name: "outbox", everyMs: 0, run: () => finishOutbox(around, parts) },
    { name: "published", everyMs: 0, run: async () => publishLeft(parts) },
    { name: "ordered", everyMs: 0, run: (now) => parts.agenda.run(now) },
    { name: "drained", everyMs: 0, run: () => parts.drains.carryOn() },
    { name: "acted", everyMs: 0, run: (now) => parts.acts.look(now) },
    { name: "forsaken", everyMs, run: () => moveForsaken(around, parts) },
    {
      ...{ name: "removed", everyMs, run: (now) => removeWorkers(around, parts, now) },
      nextAt: () => nextRemovalAt(around, parts),
    },
    { name: "orphaned", everyMs, run: () => deleteOrphans(around, parts) },
    { name: "pruned", everyMs, run: (now) => prune(around, now) },
    { name: "results", everyMs, run: (now) => trimResults(around, now) },
    { name: "statistics", everyMs: Math.max(everyMs, hourMs), run: (now) => trimStatistics(around, now) },
  ];
}

async function promote({ store }: Surroundings, { promoted }: SweepParts, now: number): Promise<number> {
  return inSlices(async () => {
    const answer = await store.promote(now, rowsMax);
    promoted(answer);
    return answer.count;
  }, rowsMax);
}

/** Deadlines of tasks: own leases, claims never started, stuck tasks, timeouts. */
async function settleDue({ store }: Surroundings, { moves, hearing }: SweepParts, now: number): Promise<number> {
  const unheardMs = (from: number): number => hearing.unheardMs(from, now);
  return inSlices(async () => {
    const due = await store.find("due", { now, limit: rowsMax });
    if (due.length === 0) return 0;
    const activity = await store.read("childActivity", { parents: due });
    const choose = (task: OpenTask): Choice => chooseDue(task, activity.get(task.card.id) ?? null);
    const answers = await Promise.all(due.map((id) => moves.locked(id, choose)));
    const moved = answers.filter((answer) => answer !== "gone" && !(answer instanceof Problem) && answer.changed);
    return { found: due.length, moved: moved.length };
  }, rowsMax);

  function chooseDue(task: OpenTask, childActiveAt: number | null): Choice {
    // A deferred task has no holder; what applied when it deferred is in its row.
    const around = moves.circumstances(task, task.row.worker);
    const { stallMs } = task.row.children?.patience ?? patienceWith(around.policy, around.profile) ?? { stallMs: 0 };
    const awayUntil = hearing.since(now, Math.max(stallMs, momentMs));
    const since = hearing.since(now, holderWindowMs(around.profile));
    const judgement = judge(task.row, around.policy, around.profile, {
      now,
      childActiveAt,
      since,
      awayUntil,
      unheardMs,
    });
    if ("move" in judgement) return { move: judgement.move, around };
    if (judgement.lookAgainAt === task.row.dueAt) return "leave";
    return { renew: { dueAt: judgement.lookAgainAt, leasedUntil: task.row.leasedUntil } };
  }
}

/** A safety net: a claim may have slipped in beside a fence, or a server died between two steps. */
async function moveForsaken({ store }: Surroundings, { losing }: SweepParts): Promise<number> {
  const forsaken = await store.find("forsaken", { limit: rowsMax });
  let moved = 0;
  for (const id of new Set(forsaken.map(({ worker }) => worker))) moved += await losing.moveTasks(id, "session");
  return moved;
}

async function removeWorkers({ store, settings }: Surroundings, parts: SweepParts, now: number): Promise<number> {
  const { catalog, workers } = parts;
  const expired = (profile: ProfileName): Promise<number> => {
    const fencedBy = now - profileOf(settings.profiles, profile).removedMs;
    return inSlices(async () => {
      // The threshold itself belongs to the later state.
      const ids = await store.find("offline", { profile, lostBefore: fencedBy + 1, limit: slice });
      const removed = await Promise.all(ids.map((id) => workers.remove(id, "worker.deleted", fencedBy)));
      return { found: ids.length, moved: removed.filter(Boolean).length };
    }, slice);
  };
  // A newer release may know profiles that we do not; its workers go in the end all the same.
  const profiles = new Set<ProfileName>(profileNames);
  for (const { profile } of catalog.workers()) profiles.add(profile);
  const removed = await Promise.all([...profiles].map(expired));
  return removed.reduce((sum, count) => sum + count, 0);
}

/** The catalog knows who is kept. */
function nextRemovalAt({ settings }: Surroundings, { catalog }: SweepParts): number | null {
  let next: number | null = null;
  for (const { profile, session } of catalog.workers()) {
    if (session.lostAt === null) continue;
    const at = session.lostAt + profileOf(settings.profiles, profile).removedMs;
    if (next === null || at < next) next = at;
  }
  return next;
}

async function finishOutbox({ store }: Surroundings, { cancelling, counting }: SweepParts): Promise<number> {
  const cascades = await inSlices(async () => {
    const notes = await store.find("outbox", { kind: cascadeKind, limit: slice });
    if (notes.length > 0) await cancelling.cascade(notes);
    return notes.length;
  }, slice);
  // Until there is none: one that ends by it leaves a note for the next above.
  const counts = await inSlices(async () => {
    const notes = await store.find("outbox", { kind: countKind, limit: rowsMax });
    if (notes.length > 0) await counting.count(notes);
    return notes.length;
  }, 1);
  return cascades + counts;
}

/** A broker may take its time, and the sweep has none to lose: nothing is known yet of what is told. */
function publishLeft({ publishing }: SweepParts): number {
  publishing?.look();
  return 0;
}

async function deleteOrphans({ store, bus }: Surroundings, { catalog }: SweepParts): Promise<number> {
  const names = await store.find("orphans", { limit: slice });
  if (names.length === 0) return 0;
  const { answer } = await store.amend({ jobs: names }, (view) => {
    const jobs = [...view.jobs.values()].flatMap(orphaned);
    return { answer: jobs, jobs };
  });
  await catalog.refresh();
  bus.publish("catalog");
  announceJobs(
    bus,
    answer.map(({ name }) => name),
  );
  return answer.length;
}

/** Whoever looks at what was done in a session finds whose it was, for a day. */
const sessionsKeepMs = 24 * 3_600_000;

async function prune({ store, settings }: Surroundings, now: number): Promise<number> {
  const { retentionMs, idempotencyKeepMs } = settings;
  const before = retentionMs === null ? null : now - retentionMs;
  const slices = {
    tasks: [],
    finishedBefore: before,
    keysBefore: now - idempotencyKeepMs,
    workerEventsBefore: before,
    auditBefore: before,
    workersBefore: before,
    sessionsBefore: now - sessionsKeepMs,
    limit: pruneSlice,
  };
  let pruned = 0;
  for (let round = 0; round < pruneSlicesMax; round += 1) {
    const count = await store.prune(slices);
    pruned += count;
    if (count < pruneSlice) break;
  }
  return pruned;
}

/** Each server looks after what it kept itself; this is for those that are gone. */
function trimResults({ store, settings }: Surroundings, now: number): Promise<number> {
  return store.results.trim(now, settings.providerCacheBytesMax);
}

function trimStatistics({ store }: Surroundings, now: number): Promise<number> {
  const before = { minutes: now - minutesKeptMs, hours: now - hoursKeptMs, limit: rowsMax };
  return inSlices(() => store.statistics.trim(before), rowsMax);
}
