// Everything that exists between start and stop.

import { Problem } from "../../core/problem.ts";
import type { Log } from "../../ports/log.ts";
import type { StoreInfo } from "../../ports/store.ts";
import { amend } from "./amend.ts";
import { append } from "./append.ts";
import { beat } from "./beat.ts";
import { checkpoints } from "./checkpoints.ts";
import { exchange } from "./exchange.ts";
import { lockFile } from "./file-lock.ts";
import { finders } from "./find.ts";
import { confirm } from "./messages.ts";
import { migrate } from "./migrate.ts";
import { createPrivately, openWriter, ownPath } from "./open-database.ts";
import { promote } from "./promote.ts";
import { prune } from "./prune.ts";
import { pulse } from "./pulse.ts";
import { readers } from "./read.ts";
import { results } from "./results.ts";
import { sideThread } from "./side-thread.ts";
import { query } from "./statement.ts";
import { statistics } from "./statistics.ts";
import { storeProblem } from "./store-problem.ts";
import { submit } from "./submit.ts";
import { transactions } from "./transaction.ts";

const selectSecret = `
  select secret
  from meta`;

export interface SqliteStoreOptions {
  readonly file: string;
  readonly log: Log;
  /** The file does not grow beyond this; further writes are refused as on a full disk. */
  readonly bytesMax?: number;
}

export type OpenStore = ReturnType<typeof openStore>;

export function openStore(options: SqliteStoreOptions) {
  const file = ownPath(options.file);
  const unlock = lockFile(file);
  try {
    createPrivately(file);
    return openLocked(file, options, unlock);
  } catch (error) {
    unlock();
    throw naming(file, error);
  }
}

function openLocked(file: string, { log, bytesMax }: SqliteStoreOptions, unlock: () => void) {
  const db = openWriter(file, bytesMax);
  try {
    migrate(db, file, log);
    const reader = sideThread("reader", file);
    const checkpointer = sideThread("checkpointer", file);
    const copies = checkpoints(db, checkpointer, log);
    const secret = query<[string]>(db, selectSecret).get()?.[0] as string;
    return {
      info: { kind: "sqlite", secret, width: 1, shared: false } satisfies StoreInfo,
      ...transactions(db, copies.committed),
      submit: submit(db),
      exchange: exchange(db),
      amend: amend(db),
      append: append(db),
      beat: beat(db),
      pulse: pulse(db),
      confirm: confirm(db),
      promote: promote(db),
      prune: prune(db),
      finders: finders(db),
      readers: readers(db),
      results: results(db),
      statistics: statistics(db),
      reader,

      async close(): Promise<void> {
        await Promise.all([reader.stop(), copies.stop()]);
        await checkpointer.stop();
        db.close();
        unlock();
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function naming(file: string, error: unknown): unknown {
  const meant = storeProblem(error);
  if (!(error instanceof Error) || error.message.includes(file)) return meant;
  const detail = `${file} cannot be opened: ${error.message}`;
  return meant instanceof Problem
    ? new Problem(meant.code, detail, { cause: error })
    : new Error(detail, { cause: error });
}
