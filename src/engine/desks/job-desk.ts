// Registering jobs by someone, and the view of them from a room.

import { maySeeRoom, mayUseJob, type Principal, requireSuperuser } from "../../core/access.ts";
import type { Json } from "../../core/checksum.ts";
import { isOperation } from "../../core/document-names.ts";
import type { Labels } from "../../core/lane.ts";
import { checkRoom, fullName, globalRoom, internalRoom, isFound, parseJobName } from "../../core/name.ts";
import { counting, type Pause } from "../../core/pause.ts";
import type { Policy } from "../../core/policy.ts";
import { Problem } from "../../core/problem.ts";
import { parsePush } from "../../core/push.ts";
import type { JobRecord } from "../../ports/records.ts";
import type { Schemas } from "../../ports/schemas.ts";
import type { Page, PageQuery } from "../../ports/store-reads.ts";
import { activeJob } from "../active-job.ts";
import { announceJobs } from "../announcements.ts";
import { auditEntry } from "../audit-entry.ts";
import type { Operations } from "../engine.ts";
import type { JobRequest } from "../jobs.ts";
import { orphaned } from "../orphans.ts";
import type { Surroundings } from "../surroundings.ts";
import { newestFirst, pageOf } from "./page.ts";
import { requireRegistering } from "./registering.ts";

export interface JobWords {
  readonly category: string;
  readonly name: string;
  readonly schema: Json;
  readonly output?: Json;
  readonly queue?: string | null;
  readonly labels?: Labels | null;
  readonly policy?: Policy;
  readonly push?: Json | null;
  /** Null: a new worker. */
  readonly worker: string | null;
}

export interface JobView {
  readonly job: JobRecord;
  readonly workers: readonly string[];
  /** Why nothing of it is given out, where somebody has paused it. */
  readonly pause: Pause | null;
}

export interface JobListQuery extends PageQuery {
  /** A part of the full name. */
  readonly find?: string;
}

export interface JobDesk {
  register(
    who: Principal,
    room: string,
    words: JobWords,
  ): Promise<JobView & { worker: string | null; created: boolean }>;
  /** By its full name, from any room. */
  get(who: Principal, room: string, name: string): Promise<JobView>;
  /** Of all rooms when none is given. */
  list(who: Principal, room: string | null, query: JobListQuery): Promise<Page<JobView>>;
  rooms(who: Principal, page: PageQuery): Promise<Page<{ readonly room: string; readonly jobs: number }>>;
  maySee(who: Principal, job: string): boolean;
  /** What the requests of a push job are signed with; for superusers. */
  pushSecret(who: Principal, name: string): Promise<string>;
  view(job: JobRecord): JobView;
  /** Whether a room sees a job: its own, and those of the two reserved rooms. */
  visibleIn(room: string): (job: string) => boolean;
  /** Marks the job when nobody serves it and nothing waits for it. */
  dropIfOrphaned(name: string): Promise<void>;
}

export interface JobDeskParts {
  readonly operations: Pick<Operations, "jobs" | "catalog" | "pushSecret">;
  readonly schemas: Schemas;
}

export function jobDesk(around: Surroundings, { operations, schemas }: JobDeskParts): JobDesk {
  const { store, bus, clock } = around;
  const { catalog } = operations;

  async function register(who: Principal, room: string, { category, name, worker, ...words }: JobWords) {
    checkRoom(room);
    const full = fullName({ room, category, name });
    requireRegistering(who, full);
    schemas.check(JSON.stringify(words.schema));
    if (words.output !== undefined) schemas.check(JSON.stringify(words.output));
    const request: JobRequest = {
      ...words,
      // Operations stay, whoever brought them.
      ...{ name: full, source: isOperation(full) ? "explicit" : "worker", replace: false },
      // A push job is served by no worker, so none is made along with it.
      ...(words.push == null && { worker: { id: worker, owner: who.user } }),
    };
    const registered = await operations.jobs.register(request, ({ checksum }) =>
      auditEntry(around, who, { action: "job.register", kind: "job", target: full, data: { checksum } }),
    );
    return { ...view(registered.job), worker: registered.worker?.id ?? null, created: registered.created };
  }

  function view(job: JobRecord): JobView {
    const pause = counting(catalog.pause("job", job.name), clock.now());
    return { job, workers: catalog.workersOfJob(job.name), pause };
  }

  async function get(who: Principal, room: string, name: string): Promise<JobView> {
    checkRoom(room);
    const job = await activeJob(catalog, name);
    if (!maySee(who, name)) throw new Problem("job-not-found", `Job '${name}' does not exist`);
    return view(job);
  }

  function maySee(who: Principal, name: string): boolean {
    return maySeeRoom(who, parseJobName(name).room) && mayUseJob(who, name);
  }

  function seen(who: Principal): JobRecord[] {
    return [...catalog.jobs()].filter((job) => !job.deleted && maySee(who, job.name));
  }

  return {
    register,
    get,
    async list(who, room, { find, ...page }) {
      if (room !== null) checkRoom(room);
      const isSeen = room === null ? () => true : visibleIn(room);
      const jobs =
        room !== null && !maySeeRoom(who, room)
          ? []
          : seen(who).filter(({ name }) => isSeen(name) && isFound(name, find));
      const found = pageOf(jobs.sort(newestFirst), page);
      return { ...found, items: found.items.map(view) };
    },
    async rooms(who, page) {
      const counts = new Map<string, number>();
      for (const { room } of seen(who)) counts.set(room, (counts.get(room) ?? 0) + 1);
      const rooms = [...counts].map(([room, jobs]) => ({ room, jobs })).sort((a, b) => (a.room < b.room ? -1 : 1));
      return pageOf(rooms, page);
    },
    maySee,
    async pushSecret(who, name) {
      requireSuperuser(who);
      const { push } = (await activeJob(catalog, name)).spec;
      if (push === null) throw new Problem("not-found", `Job '${name}' is not a push job`);
      return parsePush(push).secret ?? operations.pushSecret(name);
    },
    view,
    visibleIn,
    async dropIfOrphaned(name) {
      const job = catalog.job(name);
      if (job === undefined || job.deleted || job.source !== "worker" || catalog.workersOfJob(name).length > 0) return;
      const { answer } = await store.amend({ jobs: [name] }, (locked) => {
        const found = locked.jobs.get(name);
        const marked = found === undefined ? [] : orphaned(found);
        return { answer: marked.length > 0, jobs: marked };
      });
      if (!answer) return;
      await catalog.refresh();
      bus.publish("catalog");
      announceJobs(bus, [name]);
    },
  };
}

function visibleIn(room: string): (job: string) => boolean {
  const rooms = room === globalRoom || room === internalRoom ? [room] : [room, globalRoom, internalRoom];
  return (job) => rooms.includes(parseJobName(job).room);
}
