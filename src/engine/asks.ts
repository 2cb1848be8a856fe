// Whoever asks for work, and when it last did. It is known to the server that was asked alone, and ends with it: to write
// it down would cost a write for every question that has no answer.

import type { WorkerRecord } from "../ports/records.ts";
import type { Catalog } from "./catalog.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Hearing } from "./hearing.ts";
import type { Surroundings } from "./surroundings.ts";
import type { Take } from "./taking.ts";
import type { TakeMany } from "./taking-many.ts";

interface Doors {
  readonly claim: Dispatcher["claim"];
  readonly take: Take;
  readonly takeMany: TakeMany;
}

/** The same ways to work, by which who asks is noted. */
export interface Asks extends Doors {
  /** Null where it has not asked this server; now, for as long as it waits for an answer. */
  askedAt(worker: string): number | null;
  /** For how long it has not, as far as this server was there to be asked. */
  unaskedMs(worker: Pick<WorkerRecord, "id" | "createdAt">): number;
}

export interface AsksParts extends Doors {
  readonly catalog: Pick<Catalog, "onChange" | "worker">;
  readonly hearing: Pick<Hearing, "since">;
}

export function asks({ clock }: Pick<Surroundings, "clock">, parts: AsksParts): Asks {
  const { catalog, hearing } = parts;
  const known = new Map<string, { at: number; open: number }>();
  catalog.onChange(({ workers }) => {
    for (const { id, session } of workers) if (session.removedAt !== null) known.delete(id);
  });

  async function noted<T>(worker: string, ask: () => Promise<T>): Promise<T> {
    const asked = known.get(worker) ?? { at: 0, open: 0 };
    known.set(worker, asked);
    asked.at = clock.now();
    asked.open += 1;
    try {
      return await ask();
    } finally {
      asked.at = clock.now();
      asked.open -= 1;
      // One that was removed while it asked, or never was, is nobody to remember.
      if (catalog.worker(worker)?.session.removedAt !== null) known.delete(worker);
    }
  }

  function askedAt(worker: string): number | null {
    const asked = known.get(worker);
    if (asked === undefined) return null;
    return asked.open > 0 ? clock.now() : asked.at;
  }

  return {
    askedAt,
    unaskedMs({ id, createdAt }) {
      const now = clock.now();
      return now - Math.max(askedAt(id) ?? 0, hearing.since(now, 0), createdAt);
    },
    claim: (request) => noted(request.worker, () => parts.claim(request)),
    take: (id, worker) => noted(worker, () => parts.take(id, worker)),
    takeMany: (wanted) => noted(wanted.worker, () => parts.takeMany(wanted)),
  };
}
