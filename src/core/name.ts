// Names of jobs, providers and rooms. A full name is room:category:name, split on the first two colons only, so the last
// part may hold anything, colons and slashes too.

import { Problem } from "./problem.ts";

export const nameBytesMax = 255;

export interface JobName {
  readonly room: string;
  readonly category: string;
  readonly name: string;
}

/** The categories of names that come from foreign documents; allowed beside the configured ones. */
export const foreignCategories = ["blocks", "specs", "operations"] as const;

export const globalRoom = "@global";
export const internalRoom = "@internal";

export function fullName(job: JobName): string {
  return `${job.room}:${job.category}:${job.name}`;
}

export function parseJobName(text: string): JobName {
  const parts = nameParts(text);
  if (parts === null)
    throw new Problem("job-not-found", `Invalid job name format: '${text}' is not room:category:name`);
  return parts;
}

/** Null where the text has fewer than three parts. */
export function nameParts(text: string): JobName | null {
  const first = text.indexOf(":");
  const second = first < 0 ? -1 : text.indexOf(":", first + 1);
  if (second < 0) return null;
  return { room: text.slice(0, first), category: text.slice(first + 1, second), name: text.slice(second + 1) };
}

/** Whether it is among those somebody looks for by a part of their names. */
export function isFound(name: string, find: string | undefined): boolean {
  return find === undefined || name.toLowerCase().includes(find.trim().toLowerCase());
}

/** The job that a spec's id stands for: its full name, or the last part of a name among the specs. */
export function specJob(id: string): string {
  return nameParts(id) === null ? `${globalRoom}:specs:${id}` : id;
}

/** Of jobs that run inside the server. */
export function isInternal(job: string): boolean {
  return job.startsWith(`${internalRoom}:`);
}

/** Only the two reserved rooms may hold an '@'; no room may hold a ':'. */
export function checkRoom(room: string): void {
  if (room === globalRoom || room === internalRoom) return;
  if (room === "" || /[@:]/.test(room)) {
    throw new Problem("invalid-room-id", `Room id '${room}' is empty or has invalid characters ('@' and ':')`);
  }
  checkNameLength("/room", room);
}

export function checkCategory(category: string, allowed: readonly string[]): void {
  if (allowed.includes(category) || (foreignCategories as readonly string[]).includes(category)) return;
  throw new Problem("invalid-category", `Category '${category}' is not one of ${allowed.join(", ")}`);
}

export function checkJobName(job: JobName): void {
  checkRoom(job.room);
  checkNameLength("/name", fullName(job));
}

export function checkNameLength(pointer: string, name: string): void {
  const bytes = Buffer.byteLength(name, "utf8");
  const detail = bytes > nameBytesMax ? `is ${bytes} bytes long, at most ${nameBytesMax} are allowed` : nul(name);
  if (detail) throw new Problem("invalid-request", `${pointer} ${detail}`, { errors: [{ pointer, detail }] });
}

// PostgreSQL cannot store it and no one means it.
function nul(name: string): string | null {
  return name.includes("\u0000") ? "contains a NUL character" : null;
}
