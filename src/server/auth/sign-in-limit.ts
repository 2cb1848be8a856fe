// How often somebody at one address may try to sign in. Only tries that fail count: secrets are too long to be guessed,
// and whoever shows good ones is no one to keep out. But each session and each code is a row, so of one token there are
// no more than people with browsers could need.

import { isIPv6 } from "node:net";
import { callerOf, type Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../ports/clock.ts";
import { buckets } from "./buckets.ts";

export interface SignInLimit {
  /** Counts a try; throws where it is one too many. */
  begin(address: string): void;
  /** It was a good one, and does not count. */
  succeeded(address: string): void;
  /** Counts a session or a code that comes of his token; throws where it is one too many. */
  made(who: Pick<Principal, "user" | "token" | "countedWith">): void;
}

const triesMax = 20;
const stepMs = 3_000;
const madeMax = 200;
const madeStepMs = 2_000;

export function signInLimit(clock: Pick<Clock, "now">): SignInLimit {
  const tries = buckets(triesMax, stepMs, clock);
  const made = buckets(madeMax, madeStepMs, clock);
  return {
    begin(address) {
      check(tries.take(neighbourhood(address)), "Too many tries to sign in from this address");
    },
    succeeded: (address) => tries.giveBack(neighbourhood(address)),
    made: (who) => check(made.take(callerOf(who)), "Too many sessions and codes were made with this token"),
  };
}

function check(waitMs: number, detail: string): void {
  if (waitMs === 0) return;
  throw new Problem("rate-limited", detail, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
}

/** Whoever has one address of IPv6 has at least the 64 bits behind it. */
function neighbourhood(address: string): string {
  if (!isIPv6(address) || address.startsWith("::ffff:")) return address;
  const [head = "", tail = ""] = (address.split("%", 1)[0] as string).split("::");
  const [before, after] = [head, tail].map((part) => (part === "" ? [] : part.split(":"))) as [string[], string[]];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].slice(0, 4).join(":");
}
