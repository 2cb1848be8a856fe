// Messages that count on their coordinator. They come by the thousand, and all of them change one row: so those of one
// coordinator that arrive while a commit is under way gather, and are counted by the next in one move.

import type { Children } from "../core/family.ts";
import { chunksOf, type MarkChunk, strayMark, type ToldMark, tallied } from "../core/marks.ts";
import { badField, Problem } from "../core/problem.ts";
import { noteChunk, type RequestNote, requestNotes } from "../core/request-notes.ts";
import type { TaskRow, TaskState } from "../core/task-row.ts";
import type { OpenTask } from "../ports/records.ts";
import type { Amendment, AmendView } from "../ports/store.ts";
import type { Catalog } from "./catalog.ts";
import type { Effects } from "./effects.ts";
import { type OpenBeside, withFamilies } from "./families.ts";
import { type GroupCommit, groupCommit } from "./group-commit.ts";
import type { Held } from "./held.ts";
import { type Counted, parentCount } from "./parent-count.ts";
import type { Surroundings } from "./surroundings.ts";

/** How a coordinator stands once marks have been counted, by them or by others. */
export interface Standing {
  readonly state: TaskState;
  readonly children: Children | null;
}

export interface Marking {
  /**
   * On a final task nothing is counted; how it stands is told all the same. Throws task-not-found, and counts nothing
   * where an index is beyond what the task waits for. With a note, the same request counts once; throws
   * idempotency-conflict for another one under its key.
   */
  count(id: string, marks: readonly ToldMark[], note?: RequestNote): Promise<Standing>;
  quiet(): Promise<void>;
}

export interface MarkingParts {
  readonly catalog: Pick<Catalog, "lane">;
  readonly effects: Pick<Effects, "moved">;
  readonly held: Pick<Held, "drop">;
}

interface Told {
  readonly marks: readonly ToldMark[];
  readonly note: RequestNote | null;
  readonly chunks: readonly number[];
}

interface Gathering {
  readonly commits: GroupCommit<Told, Answer>;
  callers: number;
}

/** In one commit: chunks are rows, of which marks without a pattern concern one each. */
const chunksMax = 1_000;
const marksPerChunk = 10;

export function marking(around: Surroundings, parts: MarkingParts): Marking {
  const { store, clock, telemetry } = around;
  const gatherings = new Map<string, Gathering>();
  const countOn = parentCount(around, parts.catalog);

  async function count(id: string, marks: readonly ToldMark[], note: RequestNote | null = null): Promise<Standing> {
    const gathering = gatherings.get(id) ?? gatheringFor(id);
    gatherings.set(id, gathering);
    gathering.callers += 1;
    try {
      const chunks = note === null ? chunksOf(marks) : [...chunksOf(marks), noteChunk(note)];
      const answer = await gathering.commits.call({ marks, note, chunks });
      if (answer instanceof Problem) throw answer;
      return answer ?? (await ended(id));
    } finally {
      gathering.callers -= 1;
      if (gathering.callers === 0) gatherings.delete(id);
    }
  }

  /** One commit at a time: the next would wait for the lock of the first, and gather nothing meanwhile. */
  function gatheringFor(id: string): Gathering {
    const commits = groupCommit<Told, Answer>({
      run: (told) => run(id, told),
      weigh: ({ marks, chunks }) => Math.max(chunks.length, marks.length / marksPerChunk),
      weightMax: chunksMax,
      width: 1,
    });
    return { commits, callers: 0 };
  }

  async function run(id: string, told: readonly Told[]): Promise<readonly Answer[]> {
    const count = told.reduce((sum, { marks }) => sum + marks.length, 0);
    const chunks = [...new Set(told.flatMap((each) => each.chunks))].sort((a, b) => a - b);
    const scope = { tasks: [id], marks: chunks.map((chunk) => ({ task: id, chunk })) };
    const startedAt = clock.now();
    const { answer } = await telemetry.span("leadhand.count", { marks: count }, () =>
      store.amend(
        scope,
        withFamilies((view, openBeside) => decide(id, told, view, openBeside)),
      ),
    );
    telemetry.committed("amend", told.length, clock.now() - startedAt);
    if (answer?.counted != null) {
      parts.held.drop(id);
      parts.effects.moved(answer.counted.task.card, answer.counted.write);
    }
    return told.map((_, nth) => answer?.faults[nth] ?? answer?.standing ?? null);
  }

  function decide(
    id: string,
    told: readonly Told[],
    view: AmendView,
    openBeside: OpenBeside,
  ): Amendment<Decision | null> {
    const task = view.tasks.get(id);
    if (task === undefined) return { answer: null };
    const { faults, sound, notes } = sifted(task, told, view.marks);
    const { tally, chunks } = tallied(id, view.marks, sound);
    // Repeats are no move: a message that is told for ever must not make a history without end.
    if (tally.done + tally.failed === 0) return { answer: { faults, standing: standingOf(task.row), counted: null } };
    const counted = countOn(task, tally, () => openBeside(id));
    return {
      answer: { faults, standing: standingOf(counted.write.next), counted },
      ...written(counted, [...chunks, ...notes]),
    };
  }

  async function ended(id: string): Promise<Standing> {
    const [record] = await store.read("tasks", { ids: [id] });
    if (record === undefined) throw new Problem("task-not-found", `Task ${id} does not exist`);
    return standingOf(record.row);
  }

  return {
    count,
    quiet: async () => void (await Promise.all([...gatherings.values()].map(({ commits }) => commits.quiet()))),
  };
}

/** Null where the task is not open. */
type Answer = Standing | Problem | null;

interface Decision {
  /** For each who told something. */
  readonly faults: readonly (Problem | null)[];
  readonly standing: Standing;
  /** Null where all of it was counted before. */
  readonly counted: Counted | null;
}

/** Which marks are to be counted: a request that came before counts nothing, nor does one that is at fault. */
function sifted({ card, row }: OpenTask, told: readonly Told[], known: ReadonlyMap<string, MarkChunk>) {
  const notes = requestNotes(card.id, known);
  const faults: (Problem | null)[] = [];
  const sound: (readonly ToldMark[])[] = [];
  for (const { marks, note } of told) {
    const standing = note === null ? "new" : notes.standing(note);
    const fault =
      standing === "new" ? beyond(row.children?.total ?? null, marks) : standing === "other" ? conflict() : null;
    faults.push(fault);
    if (standing !== "new" || fault !== null) continue;
    sound.push(marks);
    if (note !== null) notes.add(note);
  }
  return { faults, sound: sound.flat(), notes: notes.chunks() };
}

function conflict(): Problem {
  return new Problem("idempotency-conflict", "The idempotency key was used with another body");
}

function beyond(total: number | null, marks: readonly ToldMark[]): Problem | null {
  const nth = strayMark(total, marks);
  if (nth < 0) return null;
  return badField(`/marks/${nth}/index`, `is ${marks[nth]?.index}; the task waits for ${total} parts, counted from 0`);
}

function standingOf({ state, children }: TaskRow): Standing {
  return { state, children };
}

function written({ write, further }: Counted, marks: readonly MarkChunk[]) {
  return { tasks: [write], marks, outbox: further === null ? [] : [further] };
}
