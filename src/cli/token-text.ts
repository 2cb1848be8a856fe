// Tokens as people and programs read them. The hash is nobody's business.

import { tokenState } from "../core/session.ts";
import type { IssuedToken } from "../server/auth/tokens.ts";

type Token = IssuedToken["record"];

/** As JSON has it, on the wire too. */
export function listedToken(token: Token, now: number) {
  const { id, name, user, role, rooms, jobs, createdAt, expiresAt, revokedAt } = token;
  return {
    ...{ id, name, user, role, rooms, jobs, state: tokenState(token, now) },
    ...{ created_at: timeText(createdAt), expires_at: timeText(expiresAt), revoked_at: timeText(revokedAt) },
  };
}

export function tokenLine({ id, user, role, rooms, jobs, expiresAt }: Token): string {
  const limits = [
    rooms === null ? "every room" : `rooms ${rooms.join(", ")}`,
    jobs === null ? "every job" : `jobs ${jobs.join(", ")}`,
    expiresAt === null ? "no end" : `until ${timeText(expiresAt)}`,
  ];
  return plain(`token ${id} of ${user} (${role}; ${limits.join("; ")})`);
}

const head = ["ID", "STATE", "ROLE", "USER", "NAME", "ROOMS", "JOBS", "CREATED", "EXPIRES"];

export function tokenTable(tokens: readonly Token[], now: number): string[] {
  const rows = [head, ...tokens.map((token) => cells(token, now))];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function cells(token: Token, now: number): string[] {
  const { id, role, user, name, rooms, jobs, createdAt, expiresAt } = token;
  const lists = [rooms, jobs].map((list) => list?.join(",") ?? "*");
  const times = [timeText(createdAt), timeText(expiresAt) ?? "-"] as string[];
  return [id, tokenState(token, now), role, user, name ?? "-", ...lists, ...times].map(plain);
}

function timeText(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** A name may hold what a terminal takes for an order. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "?");
}
