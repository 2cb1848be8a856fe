// What goes wrong around a worker of the SDK, and what becomes of its tasks; the table is in docs/guides/disconnects.md.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { TaskView } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import { type SilentWire, silentWire } from "./sdk/silent-wire.ts";
import { type SdkStage, sdkStage, unhurried } from "./sdk/stage.ts";
import {
  type Kind,
  kinds,
  nameOf,
  type ProgramOptions,
  type WorkerProgram,
  workerProgram,
} from "./sdk/worker-program.ts";

/**
 * One that has patience with silent workers, but less than usual with lost connections, and one that has none. A beat that a
 * server hears before it knows that the connection is gone does not count, and the next comes up to 1.5 s later.
 */
const [calm, strict] = await Promise.all([
  sdkStage({ settings: { ...unhurried, LEADHAND_SOCKET_GRACE: "3s" } }),
  sdkStage({ settings: { LEADHAND_WORKER_TIMEOUT_SECONDS: "4" } }),
]);
const often = { manager: { heartbeatInterval: 0.4 }, worker: { heartbeatMs: 400 } };

interface Scene {
  readonly program: WorkerProgram;
  readonly wire: SilentWire;
  readonly room: string;
  submit(payload?: object): Promise<TaskView>;
  /** Submits it, and waits until its handler runs. */
  begin(payload: object): Promise<string>;
}

let rooms = 0;

type SceneOptions = Partial<ProgramOptions> & { readonly token?: string; readonly cut?: boolean };

async function scene(kind: Kind, stage: SdkStage, { cut, ...options }: SceneOptions = {}): Promise<Scene> {
  rooms += 1;
  const room = options.room ?? `room-${rooms}`;
  const wire = await silentWire(stage.server.url);
  if (cut) wire.cut();
  const { token } = stage.server;
  const program = await workerProgram({ kind, room, token, url: wire.url, ...options });
  const submit = (payload?: object) => stage.submit(room, payload);
  return {
    ...{ program, wire, room, submit },
    async begin(payload) {
      await program.worker;
      const { id } = await submit(payload);
      await program.began(id);
      return id;
    },
  };
}

/** Gone with its worker: failed where the job is a manager's, another's to take up where it is a worker's. */
async function isTakenAway(stage: SdkStage, kind: Kind, id: string): Promise<void> {
  const { status } = await stage.when(id, (task) => task.status === "failed" || task.status === "pending");
  assert.equal(status, kind === "manager" ? "failed" : "pending");
}

const badDeeds = [
  ["throw a string", "no reason", null],
  ["throw nothing", "undefined", null],
  ["circle", "JSON", "result-not-json"],
  ["large", "at most 1048576 fit", "result-too-large"],
] as const;

function handlers(kind: Kind): void {
  const name = nameOf[kind];

  test(`a handler that throws or answers what it should not fails its task alone: ${name}`, async () => {
    const { program, submit } = await scene(kind, strict, often);
    await program.worker;
    for (const [deed, words, code] of badDeeds) {
      const { id } = await submit({ do: deed });
      const task = await strict.client.wait(id, { timeoutMs: 10_000 });
      assert.equal(task.status, "failed", deed);
      assert.ok(task.error?.includes(words), `${deed}: ${task.error}`);
      assert.equal(task.error_code, code, deed);
    }
    const { id } = await submit();
    assert.equal((await strict.client.wait(id, { timeoutMs: 10_000 })).status, "completed");
  });

  test(`a handler that hangs: a cancel reaches it, and two SIGTERMs end its program: ${name}`, async (t) => {
    const { program, begin } = await scene(kind, strict, { ...often, worker: { ...often.worker, concurrency: 2 } });
    const first = await begin({ do: "wait" });
    await strict.client.cancel(first);
    assert.match(await program.aborted(first), /cancelled/);
    const id = await begin({ do: "hang" });
    program.child.kill("SIGTERM");
    await until("it took the first signal", () => program.said().some((word) => "heard" in word));
    assert.equal((await strict.client.get(id)).status, "running");
    const began = Date.now();
    // Two of the same in one moment may be one that was passed on twice.
    program.child.kill("SIGINT");
    assert.equal(await program.ended, 0, program.err());
    t.diagnostic(`${name}: ended ${Date.now() - began} ms after the second signal`);
    await isTakenAway(strict, kind, id);
  });

  test(`a handler that blocks for longer than a worker may be silent: ${name}`, async () => {
    const { room, begin } = await scene(kind, strict, often);
    const id = await begin({ do: "block", ms: 6_000 });
    const task = await strict.client.wait(id, { timeoutMs: 20_000 });
    assert.deepEqual([task.status, task.attempt], ["completed", 1]);
    await strict.worksAgain(room);
  });
}

function absences(kind: Kind): void {
  const name = nameOf[kind];

  test(`a server that is out of reach at the start is waited for: ${name}`, async () => {
    const { program, wire, submit } = await scene(kind, calm, { cut: true });
    await until("it has tried", () => wire.refused > 1, 30_000);
    wire.mend();
    await program.worker;
    const { id } = await submit();
    assert.equal((await calm.client.wait(id, { timeoutMs: 10_000 })).status, "completed");
  });

  test(`a server that is away for ten seconds hears of a result when it is back: ${name}`, async (t) => {
    const { wire, begin } = await scene(kind, calm, { socket: false });
    const id = await begin({ ms: 200 });
    wire.cut();
    // Not a wait for anything: that is how long it is away.
    await pause(10_000);
    const began = Date.now();
    wire.mend();
    const { result, attempt, losses } = await calm.client.wait(id, { timeoutMs: 20_000 });
    assert.deepEqual([result, attempt, losses], [{ of: id }, 1, 0]);
    t.diagnostic(`${name}: told ${Date.now() - began} ms after the server was back`);
  });

  test(`a server that is away for too long: ${name}`, async () => {
    const { program, wire, begin } = await scene(kind, calm, { manager: { unreachableLimit: 3 } });
    const id = await begin({ do: "wait" });
    await calm.joined(await program.worker);
    wire.cut();
    await isTakenAway(calm, kind, id);
    if (kind === "manager") {
      // For so long as it was told to bear with, 120 seconds by itself; and then it says so.
      assert.equal(await program.ended, 1);
      assert.match(JSON.stringify(program.said().at(-1)), /no good answer for 3 s/);
      return;
    }
    wire.mend();
    const { status, attempt } = await calm.client.wait(id, { timeoutMs: 20_000 });
    assert.deepEqual([status, attempt], ["completed", 2]);
    assert.equal(program.said().filter((word) => "ready" in word).length, 2);
  });

  test(`a worker whose socket alone is cut keeps its task: ${name}`, async () => {
    const [cut, control] = await Promise.all([scene(kind, calm), scene(kind, calm)]);
    const [kept, lost] = await Promise.all([cut.begin({ do: "wait" }), control.begin({ do: "wait" })]);
    const [worker, other] = await Promise.all([cut.program.worker, control.program.worker]);
    await Promise.all([calm.joined(worker), calm.joined(other)]);
    const heard = async () => (await calm.worker(worker)).last_heartbeat;
    const before = await heard();
    cut.wire.cutSockets();
    control.wire.cut();
    await isTakenAway(calm, kind, lost);
    assert.equal((await calm.client.get(kept)).status, "running");
    assert.notEqual(await heard(), before, "it beat when the socket was gone");
    await calm.client.cancel(kept);
  });
}

/** From then on half a dozen programs start side by side, and each has to be at work before its token ends. */
const shortSeconds = 20;

async function shortToken(stage: SdkStage): Promise<{ readonly token: string; readonly until: number }> {
  const { out } = await stage.server.command("token", "create", "--user", "ada", "--expires", `${shortSeconds}s`);
  return { token: out.trim(), until: Date.now() + shortSeconds * 1_000 };
}

function tokens(kind: Kind): void {
  const name = nameOf[kind];

  test(`a token that ends, and is not renewed, ends the program, which says so: ${name}`, async () => {
    const { token } = await shortToken(calm);
    const { program, begin } = await scene(kind, calm, { ...often, token });
    const id = await begin({ do: "wait" });
    assert.equal(await program.ended, 1);
    assert.match(JSON.stringify(program.said().at(-1)), /token/i);
    await isTakenAway(calm, kind, id);
  });

  test(`a token that is renewed in time is never missed: ${name}`, async () => {
    const { token, until: expires } = await shortToken(calm);
    const { program, submit, begin } = await scene(kind, calm, { ...often, token });
    await program.worker;
    const id = await begin({ ms: Math.max(0, expires - Date.now()) + 1_000 });
    program.renew(calm.server.token);
    await until("the old one has ended", () => Date.now() > expires, shortSeconds * 1_000);
    const { result, attempt } = await calm.client.wait(id, { timeoutMs: 15_000 });
    assert.deepEqual([result, attempt], [{ of: id }, 1]);
    const next = await submit();
    assert.equal((await calm.client.wait(next.id, { timeoutMs: 10_000 })).status, "completed");
    assert.equal(program.said().filter((word) => "ready" in word).length, 1);
  });

  test(`a room that its token may not see is no place to work in, and the program says so: ${name}`, async () => {
    const { out } = await calm.server.command("token", "create", "--user", "eve", "--rooms", "lab");
    const { program } = await scene(kind, calm, { token: out.trim(), room: "secret" });
    assert.equal(await program.ended, 1);
    assert.match(JSON.stringify(program.said().at(-1)), /room/);
  });
}

describe("faults", { concurrency: 6 }, () => {
  for (const kind of kinds) tokens(kind);
  for (const kind of kinds) absences(kind);
  for (const kind of kinds) handlers(kind);
});

test("a result that is ready while the server is dead is told when it is back, and counts once", async () => {
  const [manager, worker] = await Promise.all(kinds.map((kind) => scene(kind, calm)));
  assert.ok(manager && worker);
  const ids = await Promise.all([manager, worker].map(({ begin }) => begin({ ms: 300 })));
  await calm.server.kill();
  await calm.server.start();
  for (const id of ids) {
    const { result, attempt, losses } = await calm.client.wait(id, { timeoutMs: 20_000 });
    assert.deepEqual([result, attempt, losses], [{ of: id }, 1, 0]);
  }
});

test("after all of that every task is final, and `leadhand verify` finds no fault", async () => {
  await Promise.all([calm.settle(), strict.settle()]);
});
