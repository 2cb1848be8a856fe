// What the heartbeat's thread and the program around it say to each other.

import type { ToldCommand } from "../worker/obedience.ts";

/** In whose words it beats: in ours, or in those of the fleet. */
export type Ping = "rest" | "fleet";

export interface ThreadData {
  readonly url: string;
  readonly everyMs: number;
  readonly ping: Ping;
  /** When the program last let go of the processor: one number, by `elapsedMs`. */
  readonly tick: SharedArrayBuffer;
  readonly tickMs: number;
  /** Whether to listen for cancels over Socket.IO. */
  readonly socket: boolean;
  /** The program beats by itself, and the thread in its place for as long as it cannot. */
  readonly onlyWhenBlocked: boolean;
}

/** Of every request: who asks. */
export type Headers = Readonly<Record<string, string>>;

/** A task that has a lease of its own. */
export interface Lease {
  readonly task: string;
  readonly attempt: number;
  /** How often it is prolonged. */
  readonly everyMs: number;
}

export type ToThread =
  /** From now on this worker beats, with these headers. */
  | {
      readonly type: "worker";
      readonly worker: string;
      readonly jobs: readonly string[];
      readonly headers: Headers;
      /** Where it has to beat more often than was thought. */
      readonly everyMs: number;
    }
  | { readonly type: "headers"; readonly headers: Headers }
  /** These are prolonged from now on, or no longer. */
  | { readonly type: "hold"; readonly leases: readonly Lease[] }
  | { readonly type: "drop"; readonly tasks: readonly string[] }
  | { readonly type: "stop" };

export type FromThread =
  | {
      readonly type: "beaten";
      readonly worker: string;
      readonly cancel: readonly string[];
      /** What an operator says, until it is acknowledged. */
      readonly commands: readonly ToldCommand[];
    }
  | { readonly type: "cancel"; readonly worker: string; readonly task: string }
  /** Its lease could not be prolonged: it is another's by now. */
  | { readonly type: "lost"; readonly task: string; readonly attempt: number }
  /** The server does not know the worker, or no longer. */
  | { readonly type: "gone"; readonly worker: string }
  | { readonly type: "unauthorized" }
  /** Another refusal, or no answer. */
  | { readonly type: "missed"; readonly why: string };
