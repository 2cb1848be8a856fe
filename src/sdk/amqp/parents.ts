// What a consumer of operations knows of the tasks that its messages belong to: whether their work is still wanted, and
// how many of them are done. What happens to many messages of one parent is told in few requests.

import { setTimeout as pause } from "node:timers/promises";
import type { Emission } from "../emission.ts";
import { ServerProblem } from "../problem.ts";
import { type Reports, reportBody, reports } from "../reports.ts";
import type { SteadyApi } from "../steady-api.ts";
import { elapsedMs, now } from "../system.ts";
import type { TaskPort } from "../task-voice.ts";
import type { WorkerLog } from "../worker/options.ts";
import { type Gathering, gathering } from "./gathering.ts";
import { keepAwake, type MessageMark, type Standing, standingNow, tellHandedOn, tellMarks } from "./mark-telling.ts";

export interface Parents {
  /** Asked at most once a second for each; where the server cannot say, as it was, or open. */
  standing(parent: string): Promise<Standing>;
  /**
   * Resolves with true when it is counted, or need not be, because the parent is final or gone; with false where the server
   * cannot read it. Rejects where it cannot be told now.
   */
  count(parent: string, mark: MessageMark): Promise<boolean>;
  /** Somebody works on a message of it, and has nothing to count yet. Never throws. */
  keepAwake(parent: string): void;
  /** Messages of it are about to be handed on to this queue. Resolves when the server knows, or cannot be told. */
  handsOn(parent: string, queue: string): Promise<void>;
  /** Where a handler's words go: into the parent's log, its events as `child.<event>`. */
  portOf(parent: string | null): TaskPort;
  emit(parent: string | null, emission: Emission): void;
  /** Resolves when all words were sent, or refused. */
  flush(): Promise<void>;
}

export interface ParentsParts {
  readonly api: SteadyApi;
  readonly log: WorkerLog;
  /** Ends all talk with the server. */
  readonly signal: AbortSignal;
  /** Handed in by tests. */
  readonly elapsed?: () => number;
}

interface Parent {
  standing: Standing;
  askedAt: number;
  asking: Promise<void> | null;
  readonly marks: Gathering<MessageMark, boolean>;
  readonly words: Reports;
  /** Queues that its messages were handed on to, and whether the server knows. */
  readonly onward: Map<string, Promise<boolean>>;
}

const askEveryMs = 1_000;
const newsOf: Partial<Record<Standing, string>> = {
  gone: "the messages of a task are passed over: there is no such task",
  forbidden: "the messages of a task are left to others: the token of this consumer may not count on it",
};
const marksMax = 1_000;
/** Of parents that are not heard of any more. */
const parentsKept = 1_000;

export function parents({ api, log, signal, elapsed = elapsedMs }: ParentsParts): Parents {
  const known = new Map<string, Parent>();

  function parentOf(id: string): Parent {
    const found = known.get(id);
    if (found !== undefined) return found;
    const made: Parent = {
      ...{ standing: "open", askedAt: Number.NEGATIVE_INFINITY, asking: null, onward: new Map() },
      marks: gathering(marksMax, (marks) => tellMarks({ api, log, signal, onStanding: note }, id, marks)),
      words: reports(async (report) => {
        const path = `/tasks/${id}/${report.kind}`;
        return api.request("POST", path, { body: reportBody(report), signal }).then(
          () => true,
          (error: unknown) => !(error instanceof ServerProblem && [403, 404, 409].includes(error.status)),
        );
      }),
    };
    known.set(id, made);
    for (const [oldest] of known) {
      if (known.size <= parentsKept) break;
      known.delete(oldest);
    }
    return made;
  }

  function note(id: string, standing: Standing): void {
    const parent = parentOf(id);
    parent.askedAt = elapsed();
    const words = newsOf[standing];
    if (words !== undefined && parent.standing !== standing) log.warn(words, { task: id });
    parent.standing = standing;
  }

  async function ask(id: string, parent: Parent): Promise<void> {
    try {
      const before = parent.standing;
      const now = await standingNow({ api, signal }, id, before);
      // What a count has heard meanwhile is newer; what is over stays so.
      if (parent.standing === before || now === "final" || now === "gone") note(id, now);
    } catch {
      // It may be known by now; where it is not, it is asked again.
      parent.askedAt = elapsed();
    } finally {
      parent.asking = null;
    }
  }

  const emit = (parent: string | null, said: Emission): void => {
    if (parent !== null) parentOf(parent).words.emit?.({ ...said, event: `child.${said.event}` }, now());
  };

  return {
    async standing(id) {
      const parent = parentOf(id);
      const isStale = elapsed() - parent.askedAt >= askEveryMs;
      // A parent that is over stays so.
      const isOver = parent.standing === "final" || parent.standing === "gone";
      if (isStale && !isOver) parent.asking ??= ask(id, parent);
      await parent.asking;
      return parent.standing;
    },
    count: (id, mark) => parentOf(id).marks.add(mark),
    keepAwake: (id) => void keepAwake({ api, log, signal, onStanding: note }, id),
    async handsOn(id, queue) {
      const { onward } = parentOf(id);
      const telling = onward.get(queue) ?? tellHandedOn({ api, log, signal }, id, queue);
      onward.set(queue, telling);
      if (!(await telling)) onward.delete(queue);
    },
    emit,
    portOf(parent) {
      return {
        // The parent's progress is how many of its messages have ended, and nothing else.
        progress() {},
        // A task's log is its holder's; whoever does some of its work tells it as events.
        log: (level, message) => emit(parent, { level, event: "log", message, fields: null }),
        alert: ({ severity, code, message }) =>
          emit(parent, { level: "warn", event: "alert", message, fields: { severity, code } }),
        emit: (said) => emit(parent, said),
      };
    },
    async flush() {
      const all = Promise.all([...known.values()].map(({ words }) => words.flush()));
      await Promise.race([all, pause(flushMsMax, undefined, { ref: false })]);
    },
  };
}

const flushMsMax = 2_000;
