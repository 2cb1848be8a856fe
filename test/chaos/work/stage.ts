// A server as a process, tasks submitted to it by the hundred, and the end of every test here: each task has ended, and
// once; what was accepted is there; and `leadhand verify` finds nothing wrong.

import assert from "node:assert/strict";
import { after } from "node:test";
import { isFinal } from "../../../src/core/task-row.ts";
import type { HistoryRecord } from "../../../src/ports/store-reads.ts";
import { Client, type WorkerOptions } from "../../../src/sdk/index.ts";
import { lookIntoDatabase } from "../../../src/server/look-into-database.ts";
import { allHistories, type Entry, ledgerFaults, markedPayload } from "../../../src/testing/ledger.ts";
import { recordedLog } from "../../../src/testing/recorded-log.ts";
import type { Environment } from "../../leadhand-process.ts";
import { type RestServer, type RestServerOptions, restServer } from "../rest/rest-server.ts";
import { type WorkerProgram, workerProgram } from "../sdk/worker-program.ts";

export const room = "lab";
export const job = `${room}:modifiers:Work`;

export interface WorkStage {
  readonly server: RestServer;
  readonly client: Client;
  /** So many tasks, with what the handler of each is to do; answers their ids. */
  submit(count: number, deed: (index: number) => object, priority?: number): Promise<readonly string[]>;
  /** A program with a worker on `/work`, by way of `url` if there is one; ready to work. */
  hire(worker?: WorkerOptions, url?: string): Promise<WorkerProgram>;
  /** Waits until all have ended. */
  allEnded(limitMs: number): Promise<void>;
  /** The server stops, and its database is looked into. */
  settle(): Promise<ReadonlyMap<string, HistoryRecord>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  ask(path: string): Promise<any>;
}

/**
 * Workers that come by REST have patience here: nobody beats for them, and a server that looks for the shortest of all silences
 * takes itself for late sooner, and then listens for one more window.
 */
const patient: Environment = { LEADHAND_WORKER_TIMEOUT_SECONDS: "60", LEADHAND_START_WITHIN: "60s" };

/** Out of the box a worker on `/work` has five seconds. */
export const usual: Environment = { ...patient, LEADHAND_PULSE_INTERVAL: "1s", LEADHAND_LEADER_LEASE: "5s" };

export const brief = (windowMs: number): Environment => ({
  ...patient,
  LEADHAND_WORK_LOST_AFTER: `${windowMs}ms`,
  LEADHAND_WORK_HEARTBEAT_INTERVAL: `${windowMs / 5}ms`,
});

export async function workStage(options: RestServerOptions = {}): Promise<WorkStage> {
  const server = await restServer(options);
  const { url, token } = server;
  const client = new Client({ url, token });
  after(() => client.close());
  const accepted: Extract<Entry, { what: "accepted" }>[] = [];
  const programs: WorkerProgram[] = [];
  let calls = 0;

  async function submit(count: number, deed: (index: number) => object, priority = 0): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let from = 0; from < count; from += 1_000) {
      calls += 1;
      const of = Math.min(1_000, count - from);
      const payloads = Array.from({ length: of }, (_, index) =>
        markedPayload(
          { mark: `${calls}-${index}`, call: `${calls}`, of },
          deed(from + index) as Record<string, unknown>,
        ),
      );
      const submissions = payloads.map((payload) => ({ job, payload: JSON.parse(payload), options: { priority } }));
      const tasks = await client.submitMany(room, submissions);
      tasks.forEach(({ id }, index) => {
        ids.push(id);
        accepted.push({ what: "accepted", id, payload: payloads[index] as string });
      });
    }
    return ids;
  }

  return {
    ...{ server, client, submit },
    async hire(worker = {}, by = url) {
      const often = { link: "work", signals: false, ...worker } as const;
      const program = await workerProgram({ kind: "worker", url: by, token, room, worker: often });
      programs.push(program);
      await program.worker;
      return program;
    },
    async allEnded(limitMs) {
      const end = AbortSignal.timeout(limitMs);
      for (const { id } of accepted) {
        await client.wait(id, { signal: end }).catch(async (error) => {
          const programsSaid = programs.map((each) => each.err().slice(-1_000)).join("\n");
          throw new Error(`Stranded: ${JSON.stringify(await client.get(id))}\n${programsSaid}`, { cause: error });
        });
      }
    },
    async settle() {
      client.close();
      assert.equal(await server.stop(), 0);
      const { code, out } = await server.command("verify", "--json");
      assert.deepEqual(JSON.parse(out).faults, []);
      assert.equal(code, 0);
      const look = await lookIntoDatabase(server.database, recordedLog());
      try {
        assert.deepEqual((await ledgerFaults(accepted, look)).slice(0, 5), []);
        const histories = await allHistories(look);
        for (const { task, events } of histories.values())
          assert.equal(events.filter(({ state }) => isFinal(state)).length, 1, `one end of ${task.card.id}`);
        return histories;
      } finally {
        await look.close();
      }
    },
    async ask(path) {
      const answer = await fetch(`${url}/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
      return answer.json();
    },
  };
}

/** How often the handler of each task was started, over all programs. */
export function starts(programs: readonly WorkerProgram[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const program of programs) {
    for (const word of program.said()) {
      if ("began" in word) counts.set(word.began, (counts.get(word.began) ?? 0) + 1);
    }
  }
  return counts;
}

/** Tasks that were begun by this program and have not ended there. */
export function holding(program: WorkerProgram): readonly string[] {
  const open = new Set<string>();
  for (const word of program.said()) {
    if ("began" in word) open.add(word.began);
    else if ("ended" in word) open.delete(word.ended);
  }
  return [...open];
}
