// What a worker is told to do. The server does its own part of it at once and waits for nobody; the command is for the
// worker's information, and for the record.

import type { Principal } from "../../core/access.ts";
import type { ProfileName } from "../../core/liveness.ts";
import type { CommandRecord, WorkerRecord } from "../../ports/records.ts";
import type { Surroundings } from "../surroundings.ts";

export const commandTypes = ["pause", "resume", "drain", "concurrency", "evict"] as const;
export type CommandType = (typeof commandTypes)[number];

/** Who does something, and why, in his own words. */
export interface By {
  readonly who: Principal;
  readonly note: string | null;
}

/** Nobody obeys a command of yesterday. */
const expiresMs = 3_600_000;

/** Doors by which commands come through. By the fleet's they do where the worker said that it understands them. */
const doors: ReadonlySet<ProfileName> = new Set(["work", "rest", "amqp"]);

const byServer = JSON.stringify({ ok: true, detail: "The server acts alone: this worker hears no commands" });

/** Whether commands reach it. One that they do not reach is acted upon all the same. */
export function hearsCommands({ profile, about }: Pick<WorkerRecord, "profile" | "about">): boolean {
  if (profile !== "fleet") return doors.has(profile);
  return about !== null && (JSON.parse(about) as { readonly commands?: boolean }).commands === true;
}

export interface CommandWords {
  readonly type: CommandType;
  readonly args?: Readonly<Record<string, unknown>>;
  /** It is of use until then, and for a while after. */
  readonly until?: number | null;
}

export function newCommand(
  { ids }: Pick<Surroundings, "ids">,
  told: Pick<WorkerRecord, "id" | "profile" | "about">,
  { who, note }: By,
  { type, args, until }: CommandWords,
  now: number,
): CommandRecord {
  return {
    ...{ id: ids.next(), worker: told.id, type, args: args === undefined ? null : JSON.stringify(args) },
    ...{ by: who.user, note, at: now, expiresAt: Math.max(now, until ?? now) + expiresMs, deliveredAt: null },
    ...(hearsCommands(told) ? { ackedAt: null, answer: null } : { ackedAt: now, answer: byServer }),
  };
}
