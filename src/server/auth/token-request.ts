// What a new token may be. Checked before anything is written, for every door that makes tokens.

import { type Role, roles } from "../../core/access.ts";
import { checkNameLength, checkRoom } from "../../core/name.ts";
import { badField } from "../../core/problem.ts";

export interface TokenRequest {
  readonly user: string;
  readonly role: Role;
  readonly name: string | null;
  /** Null: every room, every job. */
  readonly rooms: readonly string[] | null;
  readonly jobs: readonly string[] | null;
  readonly expiresAt: number | null;
}

/** More would make every request slow. */
const listMax = 100;

/** Throws what is wrong with it. */
export function checkTokenRequest(request: TokenRequest, now: number): void {
  const { user, role, name, rooms, jobs, expiresAt } = request;
  if (user === "") throw badField("/user", "is empty");
  checkNameLength("/user", user);
  if (!roles.includes(role)) throw badField("/role", `is not one of ${roles.join(", ")}`);
  if (name !== null) checkNameLength("/name", name);
  checkList("/rooms", rooms, checkRoom);
  checkList("/jobs", jobs, checkPattern);
  if (role === "admin" && (rooms !== null || jobs !== null)) {
    throw badField("/role", "is admin, which may do everything: it takes no rooms and no jobs");
  }
  if (expiresAt !== null && expiresAt <= now) throw badField("/expires_at", "has passed");
}

function checkList(pointer: string, list: readonly string[] | null, check: (item: string) => void): void {
  if (list === null) return;
  if (list.length === 0) throw badField(pointer, "is empty: such a token could do nothing");
  if (list.length > listMax) throw badField(pointer, `has ${list.length} items, at most ${listMax} are allowed`);
  for (const item of list) check(item);
}

function checkPattern(pattern: string): void {
  if (pattern === "") throw badField("/jobs", "has an empty pattern");
  checkNameLength("/jobs", pattern);
}
