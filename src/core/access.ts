// Who may do what. A principal is whoever a request speaks for, with the limits of its token; no limit is null.

import { globalRoom, internalRoom } from "./name.ts";
import { Problem } from "./problem.ts";

export const roles = ["admin", "user", "viewer"] as const;

/** An admin is what the documents call a superuser; a viewer only reads. */
export type Role = (typeof roles)[number];

export interface Principal {
  readonly user: string;
  readonly role: Role;
  readonly rooms: readonly string[] | null;
  /** Patterns of full job names, in which `*` stands for any characters. */
  readonly jobs: readonly string[] | null;
  /** The id of the token or session, by which requests are counted; null where there is only a user. */
  readonly token: string | null;
  /** Of a session: what it came of, with which it is counted. Null: of its user. */
  readonly countedWith?: string | null;
}

/** With whom requests are counted: all sessions of a token are one caller with it. */
export function callerOf({
  user,
  token,
  countedWith = token,
}: Pick<Principal, "user" | "token" | "countedWith">): string {
  return countedWith === null ? `user ${user}` : `token ${countedWith}`;
}

export function isSuperuser({ role }: Pick<Principal, "role">): boolean {
  return role === "admin";
}

export function mayWrite({ role }: Pick<Principal, "role">): boolean {
  return role !== "viewer";
}

/** The two reserved rooms are everyone's to look at. */
export function maySeeRoom({ rooms }: Pick<Principal, "rooms">, room: string): boolean {
  return rooms === null || room === globalRoom || room === internalRoom || rooms.includes(room);
}

/** For writes. A token with a list of rooms writes to those alone; @global is one of them only where it is listed. */
export function mayUseRoom(principal: Pick<Principal, "role" | "rooms">, room: string): boolean {
  const { rooms } = principal;
  return mayWrite(principal) && (rooms === null || rooms.includes(room));
}

/** A job of a room that one may not see is nothing one may use, whatever the patterns say. */
export function mayUseJob(principal: Pick<Principal, "rooms" | "jobs">, fullName: string): boolean {
  const { jobs } = principal;
  const room = fullName.slice(0, Math.max(0, fullName.indexOf(":")));
  return maySeeRoom(principal, room) && (jobs === null || jobs.some((pattern) => matchesPattern(pattern, fullName)));
}

/** Each part between the stars is looked for once, from left to right: nothing is ever tried again. */
export function matchesPattern(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  const first = parts[0] as string;
  if (parts.length === 1) return text === first;
  const last = parts.at(-1) as string;
  const end = text.length - last.length;
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

export function requireSuperuser(principal: Pick<Principal, "role">): void {
  if (!isSuperuser(principal)) throw new Problem("forbidden", "Only a superuser may do this");
}

/** Whether he may pause, drain, limit or empty a worker of this owner. */
export function mayOperate(principal: Pick<Principal, "user" | "role">, owner: string | null): boolean {
  return isSuperuser(principal) || (mayWrite(principal) && owner === principal.user);
}

export function requireOperator(principal: Pick<Principal, "user" | "role">, owner: string | null): void {
  if (!mayOperate(principal, owner)) throw new Problem("forbidden", "Only an admin or the worker's owner may do this");
}

/** For what is told of all rooms and jobs together. */
export function requireWholeSight({ rooms, jobs }: Pick<Principal, "rooms" | "jobs">): void {
  if (rooms !== null || jobs !== null) throw new Problem("forbidden", "Only a token without limits may do this");
}

export function requireWrite(principal: Pick<Principal, "role">): void {
  if (!mayWrite(principal)) throw new Problem("forbidden", "A viewer may only read");
}

export function requireRoomInSight(principal: Pick<Principal, "rooms">, room: string): void {
  if (!maySeeRoom(principal, room)) throw new Problem("forbidden", `The token is not for room '${room}'`);
}

export function requireRoom(principal: Pick<Principal, "role" | "rooms">, room: string): void {
  requireWrite(principal);
  if (!mayUseRoom(principal, room)) throw new Problem("forbidden", `The token may not write to room '${room}'`);
}

export function requireJob(principal: Pick<Principal, "rooms" | "jobs">, fullName: string): void {
  if (!mayUseJob(principal, fullName)) throw new Problem("forbidden", `The token is not for job '${fullName}'`);
}
