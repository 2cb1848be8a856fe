// The flags of `leadhand token create`, as a request.

import { type Role, roles } from "../core/access.ts";
import type { TokenRequest } from "../server/auth/token-request.ts";
import { parseDuration } from "../server/settings/duration.ts";
import { parseList } from "../server/settings/kinds.ts";
import { UsageError } from "./usage-error.ts";

const text = { type: "string" } as const;

export const requestFlags = { user: text, role: text, rooms: text, jobs: text, expires: text, name: text };

type Flags = Readonly<Record<string, unknown>>;

export function tokenRequest(flags: Flags, now: number): TokenRequest {
  const { user, role = "user", name = null } = flags as Readonly<Record<string, string | undefined>>;
  if (user === undefined) throw new UsageError("--user is missing: whom does the token speak for?");
  return {
    ...{ user, name },
    role: roleOf(role),
    rooms: listOf(flags, "rooms"),
    jobs: listOf(flags, "jobs"),
    expiresAt: expiryOf(flags, now),
  };
}

function roleOf(given: string): Role {
  const role = roles.find((each) => each === given);
  if (role === undefined) throw new UsageError(`--role: "${given}" is not ${roles.join(", ")}`);
  return role;
}

function listOf(flags: Flags, flag: "rooms" | "jobs"): readonly string[] | null {
  const given = flags[flag] as string | undefined;
  if (given === undefined) return null;
  const list = parseList(given.trim());
  if (list === undefined) throw new UsageError(`--${flag}: ${given} is not a,b or ["a","b"]`);
  return list;
}

/** A century: nobody means more. */
const longestMs = 36_525 * 24 * 3_600_000;

function expiryOf(flags: Flags, now: number): number | null {
  const given = flags["expires"] as string | undefined;
  if (given === undefined) return null;
  // A bare number would be milliseconds elsewhere; nobody means a token of 90 ms.
  const ms = /^\d+$/.test(given) ? undefined : parseDuration(given, "");
  if (ms === undefined || ms <= 0 || ms > longestMs) {
    throw new UsageError(`--expires: "${given}" is not a duration like 12h or 90d`);
  }
  return now + ms;
}
