// An engine in memory with its desk for connected workers, and workers whose every word is the test's.

import type { Principal } from "../core/access.ts";
import type { Problem } from "../core/problem.ts";
import { type Desks, desks } from "../engine/desks/desks.ts";
import type {
  Assignment,
  SpecVerdict,
  WorkBeat,
  WorkLine,
  WorkRegistration,
  WorkSession,
} from "../engine/desks/work-desk.ts";
import type { HeldAttempt } from "../engine/letting-go.ts";
import type { CommandRecord } from "../ports/records.ts";
import type { Schemas } from "../ports/schemas.ts";
import { settled, type World, type WorldOptions, world } from "./world.ts";

export const ada: Principal = { user: "ada", token: null, role: "user", rooms: null, jobs: null };
const anySchema: Schemas = { check() {}, validator: () => () => [] };
export const job = "@global:modifiers:Rotate";

export interface Crew {
  readonly session: WorkSession;
  readonly got: Assignment[];
  readonly told: { attempt: HeldAttempt; refusal: Problem | null }[];
  readonly cancelled: HeldAttempt[];
  readonly verdicts: (readonly SpecVerdict[])[];
  readonly closed: string[];
  drains: number;
  readonly commands: CommandRecord[];
  /** Whether it reads too slowly. */
  isFull: boolean;
  say(beat?: Partial<WorkBeat>): Promise<void>;
  end(index?: number, move?: WorkBeat["results"][number]["move"]): WorkBeat["results"];
}

export interface House extends World {
  readonly desks: Desks;
  connect(words?: Partial<WorkRegistration>, who?: Principal): Promise<Crew>;
}

export const nothing: WorkBeat = {
  ...{ ready: 0, acked: null, echo: null, draining: false, condition: null },
  ...{ progress: [], logs: [], alerts: [], results: [], acks: [] },
};

const plain: WorkRegistration = {
  ...{ name: null, hostname: "w-1", os: "linux", about: null, queues: null, labels: {} },
  specs: [{ id: job, checksum: null }],
  ...{ concurrency: null, prefetch: 0, logs: true, cancel: true, echo: false, commands: false, resume: null },
};

export async function house(options: WorldOptions = {}): Promise<House> {
  const w = await world(options);
  const asked = desks(w.around, { operations: w.engine, schemas: anySchema });
  async function connect(words: Partial<WorkRegistration> = {}, who = ada): Promise<Crew> {
    const crew = {
      got: [],
      told: [],
      cancelled: [],
      verdicts: [],
      closed: [],
      commands: [],
      drains: 0,
      isFull: false,
    } as unknown as Crew;
    const line: WorkLine = {
      assign: (assignments) => void crew.got.push(...assignments),
      told: (attempt, refusal) => void crew.told.push({ attempt, refusal }),
      cancel: (attempt) => void crew.cancelled.push(attempt),
      specs: (verdicts) => void crew.verdicts.push(verdicts),
      drain() {
        crew.drains += 1;
      },
      command: (command) => void crew.commands.push(command),
      isFull: () => crew.isFull,
      close: (why) => void crew.closed.push(why),
    };
    const session = await asked.work.enter(who, { ...plain, ...words }, line);
    return Object.assign(crew, {
      session,
      async say(beat: Partial<WorkBeat> = {}) {
        session.beat({ ...nothing, ...beat });
        await settled();
      },
      end: (index = crew.got.length - 1, move = { type: "complete", result: "{}" } as const) => {
        const { card, row } = (crew.got[index] as Assignment).task;
        return [{ task: card.id, attempt: row.attempt, move }];
      },
    });
  }
  return { ...w, desks: asked, connect };
}

export const idsOf = ({ got }: Crew): string[] => got.map(({ task }) => task.card.id);
export const heldBy = ({ got }: Crew): HeldAttempt[] =>
  got.map(({ task }) => ({ task: task.card.id, attempt: task.row.attempt }));

export async function refusals(h: House, task: string): Promise<number> {
  return (await h.store.read("events", { task, limit: 10, offset: 0 })).refusals.length;
}
