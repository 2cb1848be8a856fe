// Many claimers at once over HTTP, each taking what it gets in one of the ways to ask.

import assert from "node:assert/strict";
import type { Caller } from "./caller.ts";
import { fullName, hire, room } from "./stage.ts";

const claimers = 50;
const tasks = 1_000;

/** Claimers are spread over the servers. Each task has to be handed out exactly once, and to reach its end. */
export async function claimAll(servers: readonly Caller[]): Promise<void> {
  const workers = await Promise.all(Array.from({ length: claimers }, (_, nth) => hire({ caller: at(servers, nth) })));
  const body = { tasks: Array.from({ length: tasks }, (_, nth) => ({ job: fullName("Plain"), payload: { nth } })) };
  const submitted = await at(servers, 0).ask("POST", `/rooms/${room}/tasks`, { body });
  assert.equal(submitted?.status, 202);

  const got = await Promise.all(workers.map((worker, nth) => claimer(at(servers, nth), worker as string, nth)));
  const ids: string[] = submitted.body.items.map(({ id }: { id: string }) => id);
  assert.deepEqual(got.flat().sort(), ids.sort());
  assert.ok(got.filter((own) => own.length > 0).length > claimers / 2, "the work was shared");
  const completed = await at(servers, 1).ask("GET", "/tasks?status=completed&limit=0");
  assert.equal(completed?.body.total, tasks);
}

function at(servers: readonly Caller[], nth: number): Caller {
  return servers[nth % servers.length] as Caller;
}

/** Some ask for one, some for many, some wait; each ends when it gets nothing. Answers what it was given. */
async function claimer(caller: Caller, worker: string, nth: number): Promise<string[]> {
  const limit = [undefined, 1, 3, 7][nth % 4];
  const headers = nth % 3 === 0 ? { prefer: "wait=1" } : {};
  const own: string[] = [];
  for (;;) {
    const reply = await caller.ask("POST", "/tasks/claim", { body: { worker_id: worker, limit }, headers });
    assert.equal(reply?.status, 200);
    const { task, tasks: many = task === null ? [] : [task] } = reply.body;
    if (many.length === 0) return own;
    for (const { id, lease_token, worker_id } of many) {
      assert.equal(worker_id, worker);
      own.push(id);
      for (const status of ["running", "completed"]) {
        const settled = await caller.ask("PATCH", `/tasks/${id}`, { body: { status, lease_token } });
        assert.equal(settled?.status, 200);
      }
    }
  }
}
