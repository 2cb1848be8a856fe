import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEntry, WorkerRecord } from "../ports/records.ts";
import type { Store } from "../ports/store.ts";
import { type World, world } from "../testing/world.ts";

function entryOf(w: World, target: string): AuditEntry {
  const act = { action: "worker.delete", kind: "worker", target, note: null, data: null };
  return { id: w.around.ids.next(), at: w.clock.now(), actor: "root", token: null, ...act };
}

/** What happens once, after the tasks of a worker were moved. */
async function interrupted(meanwhile: (w: World, id: string) => Promise<unknown>) {
  let hook: (() => Promise<unknown>) | null = null;
  const between = (store: Store): Store => ({
    ...store,
    async amend(scope, decide) {
      const answer = await store.amend(scope, decide);
      const once = scope.heldBy === undefined ? null : hook;
      if (once !== null) hook = null;
      await once?.();
      return answer;
    },
  });
  const w = await world({ between });
  const id = await w.worker([await w.job()], { profile: "fleet" });
  const worker = w.engine.catalog.worker(id) as WorkerRecord;
  hook = () => meanwhile(w, id);
  await w.engine.losing.remove(worker, entryOf(w, id));
  const [after] = await w.store.read("workers", { ids: [id] });
  const events = (await w.store.read("workerEvents", { worker: id, limit: 9, offset: 0 })).items;
  const audit = (await w.store.read("audit", { limit: 9, offset: 0 })).items;
  await w.stop();
  return {
    removed: after?.session.removedAt !== null,
    events: events.map(({ type }) => type.replace("worker.", "")),
    acts: audit.map(({ action }) => action),
  };
}

test("a worker that comes back while it is deleted is deleted all the same, and once in the audit", async () => {
  assert.deepEqual(await interrupted((w, id) => w.engine.workers.revive(id)), {
    removed: true,
    events: ["registered", "unregistered", "online", "unregistered", "deleted"],
    acts: ["worker.delete"],
  });
});

test("of two who delete a worker at once only one did it", async () => {
  const first = (w: World, id: string) =>
    w.engine.losing.remove(w.engine.catalog.worker(id) as WorkerRecord, entryOf(w, id));
  assert.deepEqual(await interrupted(first), {
    removed: true,
    events: ["registered", "unregistered", "deleted"],
    acts: ["worker.delete"],
  });
});
