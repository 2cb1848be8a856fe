// What a server and a thread that runs internal jobs say to each other. A thread has one task at a time, so nothing has
// to say which task it is about.

import type { Assignment, Ending, InternalJob, LogWords, ProgressWords } from "../../core/internal-job.ts";

/** Handed to a thread as it starts. */
export interface ThreadStart {
  /** The module that exports `jobs`, as a URL. */
  readonly module: string;
}

export type ToThread =
  | { readonly type: "run"; readonly assignment: Assignment }
  /** Answers "started": whether the handler may run. */
  | { readonly type: "go"; readonly may: boolean }
  | { readonly type: "abort"; readonly reason: string };

export type FromThread =
  | { readonly type: "ready"; readonly jobs: readonly InternalJob[] }
  | { readonly type: "unusable"; readonly why: string }
  | { readonly type: "started" }
  | { readonly type: "progressed"; readonly progress: ProgressWords }
  | { readonly type: "logged"; readonly lines: readonly LogWords[] }
  | { readonly type: "ended"; readonly ending: Ending };
