// What the workers of a fleet are told, and what they say: one line of JSON each, on their standard output.

import { writeSync } from "node:fs";

/** The doors by which workers come in. Internal jobs are the servers' own. */
export const doors = ["work", "rest", "manager", "socket", "curl", "fleet", "sdk-fleet", "target"] as const;
export type Door = (typeof doors)[number];

export interface Orders {
  readonly door: Door;
  readonly url: string;
  readonly token: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly concurrency?: number;
}

/** In a payload: what its handler does. */
export interface Deed {
  readonly ms?: number;
  /** How long the first attempt takes instead. */
  readonly msAtFirst?: number;
  /** Once: only the first attempt. */
  readonly fail?: "once" | "always";
  /** How many children it has to make, and to wait for. */
  readonly children?: number;
}

export type Said =
  /** It can be given tasks. */
  | { readonly ready: string }
  | { readonly began: string; readonly attempt: number }
  /** A poll of this worker, when it was sent and when it was given up: what it was given, if anything, it does not know. */
  | { readonly unanswered: string; readonly from: number; readonly to: number }
  /** A sign of life of this worker, when it was sent, at the earliest, and when its answer was there. */
  | { readonly heard: string; readonly at: number; readonly answeredAt: number };

export const room = "lab";
const named = (name: string): string => `${room}:modifiers:${name}`;
/**
 * Mixed is for all doors that workers come in by, Night for those with a queue of its own, Parent has children. A block fails
 * with its worker, as the fleet's document has it; a worker of the SDK says of its own that it runs again.
 */
export const jobs = {
  mixed: named("Mixed"),
  night: named("Night"),
  parent: named("Parent"),
  pushed: named("Pushed"),
  internal: "@internal:modifiers:Inner",
  block: "@global:blocks:chaos.test/step:1.0.0",
  sdkBlock: "@global:blocks:chaos.test/stride:1.0.0",
} as const;
export type JobName = keyof typeof jobs;

export const schema = { type: "object" } as const;
export const retry = { maxAttempts: 3, baseMs: 50, capMs: 500 } as const;

/** Written at once, so that a program that is killed has said what it has done. */
export function say(word: Said): void {
  const line = Buffer.from(`${JSON.stringify(word)}\n`);
  for (let from = 0; from < line.length; ) {
    try {
      from += writeSync(1, line, from);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}

export class NoLuck extends Error {}

export async function perform({ ms = 0, msAtFirst = ms, fail }: Deed, attempt: number): Promise<void> {
  const takesMs = attempt === 1 ? msAtFirst : ms;
  if (takesMs > 0) await new Promise((resolve) => setTimeout(resolve, takesMs));
  if (fail === "always" || (fail === "once" && attempt === 1)) throw new NoLuck("No luck");
}
