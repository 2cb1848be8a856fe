import type { DatabaseSync } from "node:sqlite";
import { storeProblem } from "./store-problem.ts";

export interface Transactions {
  /** All of the work or nothing of it; on the disk when it returns. */
  write<T>(work: () => T): T;
  /** Work that sees one state of the database. */
  read<T>(work: () => T): T;
}

export function transactions(db: DatabaseSync, committed: () => void = () => {}): Transactions {
  const begin = db.prepare("begin immediate");
  const beginRead = db.prepare("begin");
  const commit = db.prepare("commit");

  function within<T>(opening: typeof begin, work: () => T): T {
    try {
      opening.run();
      const answer = work();
      commit.run();
      return answer;
    } catch (error) {
      // A full disk makes SQLite roll back by itself.
      if (db.isTransaction) db.exec("rollback");
      throw storeProblem(error);
    }
  }

  return {
    write(work) {
      const answer = within(begin, work);
      committed();
      return answer;
    },
    read: (work) => within(beginRead, work),
  };
}
