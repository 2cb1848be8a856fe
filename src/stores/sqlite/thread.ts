// What runs on a side thread: one connection of its own, answering one request after the other. `side-thread.ts` is the
// other end.

import { parentPort, workerData } from "node:worker_threads";
import { Problem, type ProblemCode } from "../../core/problem.ts";
import type { Find } from "../../ports/store-finds.ts";
import type { Reads } from "../../ports/store-reads.ts";
import { finders } from "./find.ts";
import { openCheckpointer, openReader } from "./open-database.ts";
import { readers } from "./read.ts";
import { query } from "./statement.ts";
import { storeProblem } from "./store-problem.ts";
import { transactions } from "./transaction.ts";

/** What a thread is for. The main thread says so when it starts one. */
export type Role = "reader" | "checkpointer";

export interface ThreadData {
  readonly role: Role;
  readonly file: string;
}

export type ReadRequest =
  | { readonly what: "read"; readonly kind: keyof Reads; readonly query: unknown }
  | { readonly what: "find"; readonly kind: keyof Find; readonly query: unknown };

/** How many frames the log has, and how many of them are in the file. */
export type Checkpointed = readonly [busy: number, frames: number, copied: number];

/** A request by number; null asks the thread to end. */
export type Message = { readonly number: number; readonly request: unknown } | null;

export type Reply =
  | { readonly number: number; readonly answer: unknown }
  | { readonly number: number; readonly code: ProblemCode | null; readonly detail: string };

interface Service {
  answer(request: unknown): unknown;
  close(): void;
}

const services: Record<Role, (file: string) => Service> = { reader, checkpointer };

function reader(file: string): Service {
  const db = openReader(file);
  const { read } = transactions(db);
  const kinds: Record<ReadRequest["what"], Record<string, (query: never) => unknown>> = {
    read: readers(db),
    find: finders(db),
  };
  return {
    answer(request) {
      const { what, kind, query } = request as ReadRequest;
      return read(() => kinds[what][kind]?.(query as never));
    },
    close: () => db.close(),
  };
}

function checkpointer(file: string): Service {
  const db = openCheckpointer(file);
  // Passive: copies what it can without making the writer or a reader wait.
  const copy = query<[number, number, number]>(db, "pragma wal_checkpoint(passive)");
  return { answer: () => copy.get() satisfies Checkpointed | undefined, close: () => db.close() };
}

function serve({ role, file }: ThreadData): void {
  const service = services[role](file);
  parentPort?.on("message", (message: Message) => {
    if (message !== null) {
      parentPort?.postMessage(replyTo(message, service));
      return;
    }
    service.close();
    parentPort?.close();
  });
}

function replyTo({ number, request }: NonNullable<Message>, service: Service): Reply {
  try {
    return { number, answer: service.answer(request) };
  } catch (error) {
    const problem = storeProblem(error);
    const detail = problem instanceof Error ? problem.message : String(problem);
    return { number, code: problem instanceof Problem ? problem.code : null, detail };
  }
}

serve(workerData as ThreadData);
