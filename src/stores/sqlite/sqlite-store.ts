// The embedded store: one file, one server. Writes and short reads run on the main thread, one after the other; reads
// without a bound run on a thread of their own and see every commit that was answered before they were asked for.

import { Problem } from "../../core/problem.ts";
import type { Store } from "../../ports/store.ts";
import type { Find } from "../../ports/store-finds.ts";
import type { Reads } from "../../ports/store-reads.ts";
import { type OpenStore, openStore, type SqliteStoreOptions } from "./open-store.ts";
import { storeProblem } from "./store-problem.ts";
import type { ReadRequest } from "./thread.ts";

const longReads = new Set<keyof Reads>([
  "taskList",
  "taskScan",
  "events",
  "logs",
  "workerEvents",
  "depths",
  "size",
  "tokens",
  "audit",
  "commands",
  "providers",
  "histories",
  "toldInFront",
  "childActivity",
  "roomDepths",
  "statistics",
  "failures",
]);

const longFinds = new Set<keyof Find>(["forsaken", "orphans", "unpublished", "unheeded", "outboxKinds"]);

export function sqliteStore(options: SqliteStoreOptions): Store {
  let opened: OpenStore | null = null;

  function open(): OpenStore {
    if (opened === null) throw new Problem("store-unavailable", `${options.file} is not open`);
    return opened;
  }

  function write<T>(work: (store: OpenStore) => T): T {
    const store = open();
    return store.write(() => work(store));
  }

  return {
    async start() {
      opened ??= openStore(options);
      return opened.info;
    },

    async stop() {
      const closing = opened;
      opened = null;
      await closing?.close();
    },

    submit: async (calls) => write((store) => store.submit(calls)),
    exchange: async (writes, demands, now) => write((store) => store.exchange(writes, demands, now)),
    amend: async (scope, decide) => write((store) => store.amend(scope, decide)),
    append: async (lines) => write((store) => store.append(lines)),
    beat: async (beats) => write((store) => store.beat(beats)),
    pulse: async (request) => write((store) => store.pulse(request)),
    confirm: async (messages, at) => write((store) => store.confirm(messages, at)),
    promote: async (now, limit) => write((store) => store.promote(now, limit)),
    prune: async (slice) => write((store) => store.prune(slice)),

    async find(kind, query) {
      const { reader, finders } = open();
      if (longFinds.has(kind)) return reader.ask({ what: "find", kind, query } satisfies ReadRequest);
      return looked(() => finders[kind](query));
    },

    async read(kind, query) {
      const { reader, readers } = open();
      if (longReads.has(kind)) return reader.ask({ what: "read", kind, query } satisfies ReadRequest);
      return looked(() => readers[kind](query));
    },

    results: {
      get: async (key, now) => looked(() => open().results.get(key, now)),
      begin: async (key, now, until) => write((store) => store.results.begin(key, now, until)),
      put: async (key, result, at, expiresAt) => write((store) => store.results.put(key, result, at, expiresAt)),
      trim: async (now, bytesMax) => write((store) => store.results.trim(now, bytesMax)),
    },

    statistics: {
      add: async (counted) => write((store) => store.statistics.add(counted)),
      trim: async (before) => write((store) => store.statistics.trim(before)),
    },
  };
}

function looked<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw storeProblem(error);
  }
}
