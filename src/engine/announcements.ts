// What those who watch are told once a change is committed: the workers of a job, that a task can be had; the viewers
// of a room, what became of its tasks and jobs. Topics are the rooms they have joined, messages the JSON text of the
// event's name and data. What nobody wants is not built, and nobody waits for any of it.

import { isInternal, parseJobName } from "../core/name.ts";
import type { EventType } from "../core/task-event.ts";
import { isFinal, newTaskRow, type Outcome, type TaskRow } from "../core/task-row.ts";
import type { Bus } from "../ports/bus.ts";
import type { Promoted } from "../ports/pulse.ts";
import type { OpenTask, TaskCard, TaskWrite } from "../ports/records.ts";
import { announce, announceAt, feedTopic } from "./announce.ts";
import type { Catalog } from "./catalog.ts";
import type { Depths } from "./depths.ts";
import { feedShare } from "./feed-share.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Announcements {
  submitted(cards: readonly TaskCard[], runAt: readonly (number | null)[]): void;
  claimed(tasks: readonly OpenTask[]): void;
  moved(card: TaskCard, write: TaskWrite): void;
  /** Delayed tasks whose time has come. */
  promoted(promoted: Promoted): void;
}

export interface AnnouncementParts {
  readonly catalog: Pick<Catalog, "lane">;
  readonly depths: Pick<Depths, "position">;
}

/** A viewer needs the gist of an error; the whole text is the task's. Messages have to fit the wire between servers. */
export const errorLengthMax = 1_000;
/** One call of many tasks of a job wakes everyone who waits for it long before its last one is told. */
const availableMax = 100;
/** Places in the line that are being counted at a time; beyond, a task is shown without. */
const countingMax = 500;

/** Moves after which a task looks to its viewers as it did before. */
const unseen: readonly EventType[] = ["task.progressed", "task.counted"];

export function announcements(
  { store, bus, clock, log }: Pick<Surroundings, "store" | "bus" | "clock" | "log">,
  { catalog, depths }: AnnouncementParts,
): Announcements {
  /** Tasks whose place is being counted, with what tells of them at once, without it. */
  const counting = new Map<string, () => void>();
  const share = feedShare(bus, clock);

  function jobOf(card: TaskCard): string {
    return catalog.lane(card.lane)?.job ?? "";
  }

  function available(card: TaskCard): void {
    const job = jobOf(card);
    if (!isInternal(job))
      announce(bus, `jobs:${job}`, "task_available", { job_name: job, room_id: card.room, task_id: card.id });
  }

  function status(card: TaskCard, row: TaskRow, outcome: Outcome | null): void {
    const inRoom = bus.wanted(`room:${card.room}`);
    if (!inRoom && !bus.wanted(feedTopic)) return;
    // What was to be told of the task before has to be told first.
    counting.get(card.id)?.();
    const tell = (position: number | null): void => {
      const job = jobOf(card);
      const data = () => statusOf(job, { card, row, outcome, position });
      const isFed = share.take();
      if (isFed) announceAt(bus, { rooms: [card.room], job }, "task_status_event", data);
      else if (inRoom) announce(bus, `room:${card.room}`, "task_status_event", data());
    };
    // Places in line are counted for the viewers of one room: whoever looks at everything does without.
    const isReady = row.state === "pending" && row.runAt === null;
    if (inRoom && isReady && counting.size < countingMax) void tellWithPlace({ card, row }, tell);
    else tell(null);
  }

  async function tellWithPlace({ card, row }: OpenTask, tell: (position: number | null) => void): Promise<void> {
    const once = (position: number | null): void => {
      if (counting.get(card.id) !== now) return;
      counting.delete(card.id);
      tell(position);
    };
    const now = (): void => once(null);
    counting.set(card.id, now);
    try {
      once((await depths.position({ card, row, payload: "", outcome: null }))?.position ?? null);
    } catch (error) {
      log.debug("a place in the line could not be counted", { error });
      now();
    }
  }

  async function promoted(tasks: readonly string[]): Promise<void> {
    for (const { card, row } of await store.read("tasks", { ids: tasks })) {
      if (row.state === "pending") available(card);
    }
  }

  return {
    submitted(cards, runAt) {
      const perLane = new Map<number, number>();
      cards.forEach((card, index) => {
        const row = newTaskRow(card.id, card.createdAt, runAt[index] ?? null);
        const before = perLane.get(card.lane) ?? 0;
        if (row.runAt === null && before < availableMax) {
          perLane.set(card.lane, before + 1);
          available(card);
        }
        // What a server runs itself is claimed in the same breath, and told of then.
        if (!isInternal(jobOf(card))) status(card, row, null);
      });
    },
    claimed(tasks) {
      for (const { card, row } of tasks) status(card, row, null);
    },
    moved(card, { next, outcome, events }) {
      if (events.length === 0) return;
      if (!isFinal(next.state) && events.every(({ type }) => unseen.includes(type))) return;
      if (next.state === "pending" && next.runAt === null) available(card);
      status(card, next, outcome);
    },
    promoted({ lanes, tasks }) {
      if (!lanes.some((lane) => bus.wanted(`jobs:${catalog.lane(lane)?.job}`))) return;
      promoted(tasks.slice(0, availableMax)).catch((error) => log.debug("promoted tasks were not told of", { error }));
    },
  };
}

/** To the viewers of the rooms of these jobs, each once. */
export function announceJobs(bus: Bus, jobs: Iterable<string>): void {
  const rooms = [...new Set([...jobs].map((job) => parseJobName(job).room))];
  if (rooms.length > 0) announceAt(bus, { rooms, job: null }, "jobs_invalidate");
}

interface Shown extends OpenTask {
  readonly outcome: Outcome | null;
  readonly position: number | null;
}

function statusOf(job: string, { card, row, outcome, position }: Shown) {
  return {
    id: card.id,
    name: job,
    room_id: card.room,
    status: row.state,
    created_at: timeText(card.createdAt),
    started_at: timeText(row.startedAt),
    completed_at: timeText(outcome?.finishedAt ?? null),
    queue_position: position,
    // Who runs it inside a server is nobody's business but the history's.
    worker_id: isInternal(job) ? null : row.worker,
    error: gist(outcome?.error?.message || null),
    version: row.version,
  };
}

function timeText(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** What a viewer is told of a long text. */
export function gist(text: string | null): string | null {
  if (text === null || text.length <= errorLengthMax) return text;
  // Half a character is none.
  return `${text.slice(0, errorLengthMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
