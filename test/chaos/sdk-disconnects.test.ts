// The documents' table of disconnect scenarios, each row with real processes, for JobManager and for Worker. The figures
// of docs/guides/disconnects.md are what this prints.

import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { type Lost, type SilentWire, silentWire } from "./sdk/silent-wire.ts";
import { type SdkStage, sdkStage, unhurried } from "./sdk/stage.ts";
import { type Kind, kinds, nameOf, type WorkerProgram, workerProgram } from "./sdk/worker-program.ts";

/** Out of the box, and one that has to hear of its workers every three seconds. */
const timeoutMs = 3_000;
const beatMs = 500;
const [usual, strict] = await Promise.all([
  sdkStage({ settings: unhurried }),
  sdkStage({ settings: { ...unhurried, LEADHAND_WORKER_TIMEOUT_SECONDS: `${timeoutMs / 1_000}` } }),
]);
const graceMs = 5_000;

interface Scene {
  readonly program: WorkerProgram;
  readonly wire: SilentWire;
  readonly room: string;
}

let rooms = 0;

async function scene(kind: Kind, { stage = usual, socket = true }: Partial<Abrupt> = {}): Promise<Scene> {
  rooms += 1;
  const room = `room-${rooms}`;
  const wire = await silentWire(stage.server.url);
  const { token } = stage.server;
  const often = stage === strict && { manager: { heartbeatInterval: beatMs / 1_000 }, worker: { heartbeatMs: beatMs } };
  const program = await workerProgram({ kind, room, token, socket, url: wire.url, ...often });
  const worker = await program.worker;
  if (socket || stage === strict) await stage.joined(worker);
  return { program, wire, room };
}

async function isGone(stage: SdkStage, worker: string): Promise<void> {
  await until("the worker is gone", async () => (await stage.worker(worker)).state === "DELETED");
}

/** The worker is idle, and the time is until the server has let it go. */
async function leaves(t: TestContext, kind: Kind, how: (program: WorkerProgram) => void): Promise<void> {
  const { program } = await scene(kind);
  const worker = await program.worker;
  const began = Date.now();
  how(program);
  await isGone(usual, worker);
  t.diagnostic(`${nameOf[kind]}: gone after ${Date.now() - began} ms`);
  assert.equal(await program.ended, 0, program.err());
}

/** It has a task that takes a moment, which is let end. */
async function finishesFirst(kind: Kind, how: (program: WorkerProgram) => void): Promise<void> {
  const { program, room } = await scene(kind);
  const { id } = await usual.submit(room, { ms: 400 });
  await program.began(id);
  how(program);
  assert.equal(await program.ended, 0, program.err());
  assert.deepEqual((await usual.client.get(id)).result, { of: id });
  await isGone(usual, await program.worker);
}

interface Abrupt {
  readonly stage: SdkStage;
  readonly socket: boolean;
  /** From the fault. */
  readonly least: number;
  readonly most: number;
}

/**
 * Where the worker timeout counts, it does from the last beat and not from the fault; and a server that was itself kept from
 * its work listens for one more window before it gives anybody up.
 */
const bySilence = { stage: strict, least: 0, most: 2 * timeoutMs + 2_000 };

/** It has a task in hand, and the time is until the server has taken it away. */
async function isLost(t: TestContext, kind: Kind, how: Partial<Abrupt>, fault: (scene: Scene) => void): Promise<Scene> {
  const { stage = usual, least = graceMs, most = graceMs + 2_000 } = how;
  const there = await scene(kind, how);
  const { id } = await stage.submit(there.room, { do: "wait" });
  await there.program.began(id);
  const worker = await there.program.worker;
  const heardAt = Date.parse((await stage.worker(worker)).last_heartbeat);
  const began = Date.now();
  fault(there);
  const isTaken = ({ status }: { readonly status: string }) => status === "failed" || status === "pending";
  const task = await stage.when(id, isTaken, most + 10_000);
  const lostAt = await stage.at(id, "task.lost");
  const tookMs = lostAt - began;
  t.diagnostic(`${nameOf[kind]}: its task was taken away after ${tookMs} ms`);
  assert.ok(tookMs >= least && tookMs <= most, `${tookMs} ms`);
  if (stage === strict) assert.ok(lostAt - heardAt >= timeoutMs, `${lostAt - heardAt} ms after a beat`);
  // A job of a manager is registered as the documents have it; one of a worker asks that others go on with its tasks.
  if (kind === "manager") assert.deepEqual([task.status, task.error], ["failed", "Worker disconnected"]);
  else assert.equal(task.status, "pending");
  await isGone(stage, worker);
  return there;
}

const silences = {
  both: "every word",
  up: "what the worker says",
  down: "what the server says",
} as const satisfies Record<Lost, string>;

const ways = {
  "the end of an `await using` block": (program: WorkerProgram) => program.leave(),
  SIGINT: ({ child }: WorkerProgram) => void child.kill("SIGINT"),
  SIGTERM: ({ child }: WorkerProgram) => void child.kill("SIGTERM"),
};

// Those that wait for long come first, and the others pass the time.
describe("each row of the documents' table", { concurrency: 7 }, () => {
  for (const kind of kinds) {
    for (const [way, lost] of Object.entries(silences)) {
      test(`a network that loses ${lost}: ${nameOf[kind]} is given up, and comes back`, async (t) => {
        // A beat that was under way may arrive when only its answer is lost: from then on its worker is as if without
        // Socket.IO.
        const how = way === "down" ? bySilence : { stage: usual, most: 37_000 };
        const { wire, room } = await isLost(t, kind, how, (there) => there.wire.silence(way as Lost));
        wire.mend();
        await how.stage.worksAgain(room);
      });
    }
  }

  for (const kind of kinds) {
    test(`a network that breaks: ${nameOf[kind]} with Socket.IO is given up after the grace`, async (t) => {
      await isLost(t, kind, {}, ({ wire }) => wire.cut());
    });

    test(`SIGKILL: ${nameOf[kind]} with Socket.IO is given up after the grace`, async (t) => {
      await isLost(t, kind, {}, ({ program }) => program.child.kill("SIGKILL"));
    });

    test(`SIGKILL: ${nameOf[kind]} without Socket.IO is given up after the worker timeout`, async (t) => {
      await isLost(t, kind, { ...bySilence, socket: false }, ({ program }) => program.child.kill("SIGKILL"));
    });

    for (const [name, how] of Object.entries(ways)) {
      test(`${name}: ${nameOf[kind]} says goodbye at once`, (t) => leaves(t, kind, how));
      test(`${name}: ${nameOf[kind]} lets its task end first`, () => finishesFirst(kind, how));
    }
  }
});

test("after all of that every task is final, and `leadhand verify` finds no fault", async () => {
  await Promise.all([usual.settle(), strict.settle()]);
});
