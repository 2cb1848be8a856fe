// Connections that send what nobody should, thousands of them, beside workers that go about their work.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chance, newSeed } from "./chance.ts";
import { type Message, plainSocket, registration } from "./work/plain-worker.ts";
import { holding, job, starts, usual, workStage } from "./work/stage.ts";

const connections = 2_100;
const sideBySide = 25;
/** What is kept for ever shows sooner where there is no room for it, and for what is not collected yet. */
const smallHeap = "--max-old-space-size=96 --max-semi-space-size=2";
/** What the process may grow between the first wave and the last. */
const growthMax = 50;
/** More than any frame may have. */
const oversized = "x".repeat(4 * 1_048_576 + 1);
const first = { type: "heartbeat", seq: 1, ready: 0, registration };
const text = (message: object): string => JSON.stringify(message);

interface Attack {
  readonly frames: readonly (string | Buffer)[];
  readonly code: number;
  /** One in so many connections; the costly ones are rarer. */
  readonly oneIn?: number;
}

/** `task` is one that an honest worker has in hand. */
const attacks: Readonly<Record<string, (task: string) => Attack>> = {
  "no JSON": () => ({ frames: ["{"], code: 4400 }),
  "no object": () => ({ frames: ["[]"], code: 4400 }),
  "no type": () => ({ frames: ["{}"], code: 4400 }),
  "no registration": () => ({ frames: [text({ type: "heartbeat", seq: 1, ready: 1 })], code: 4400 }),
  "a wrong field": () => ({ frames: [text({ ...first, ready: -1 })], code: 4400 }),
  "too deep": () => ({ frames: [`${"[".repeat(20_000)}${"]".repeat(20_000)}`], code: 4400 }),
  binary: () => ({ frames: [Buffer.from([0, 255, 1])], code: 4400 }),
  "binary after a good start": () => ({ frames: [text(first), Buffer.from(text({ ...first, seq: 2 }))], code: 4400 }),
  "an unknown type, then no JSON": () => ({ frames: [text({ type: "shout" }), text(first), "}"], code: 4400 }),
  replayed: () => ({ frames: [text(first), text(first)], code: 4400 }),
  "out of order": () => ({
    frames: [text({ ...first, seq: 9 }), text({ type: "heartbeat", seq: 3, ready: 0 })],
    code: 4400,
  }),
  "more than may wait": () => ({
    frames: [...Array.from({ length: 150 }, (_, index) => text({ ...first, seq: index + 1 })), "no more"],
    ...{ code: 4400, oneIn: 5 },
  }),
  "another's task": (jobId) => ({
    frames: [
      text(first),
      text({
        type: "heartbeat",
        seq: 2,
        ready: 0,
        results: [{ jobId, attempt: 1, outcome: "succeeded", data: "stolen" }],
      }),
      "no more",
    ],
    code: 4400,
  }),
  "a resume without a right": (jobId) => ({
    frames: [
      text({
        ...first,
        registration: { ...registration, resume: { workerId: jobId, token: "guess", jobs: [{ jobId, attempt: 1 }] } },
      }),
      "no more",
    ],
    code: 4400,
  }),
  oversized: () => ({ frames: [oversized], code: 4413, oneIn: 5 }),
};

test("thousands of hostile connections get their close codes, and nobody else notices", async (t) => {
  const seed = newSeed();
  t.diagnostic(`seed ${seed}`);
  const when = chance(seed);
  const stage = await workStage({ settings: { ...usual, NODE_OPTIONS: smallHeap } });
  const { url, token } = stage.server;
  const crew = await Promise.all([8, 8].map((concurrency) => stage.hire({ concurrency })));
  const stranger = await stage.server.tokenOf("mallory");
  const codes = new Map<string, Map<number, number>>();
  const faults: string[] = [];
  let left = connections;
  let attacked = "";

  async function attack(): Promise<void> {
    const [name = "", make] = when.oneOf(Object.entries(attacks)) as [string, (task: string) => Attack];
    const { frames, code, oneIn = 1 } = make(when.oneOf(crew.flatMap(holding)) ?? attacked);
    if (when.below(oneIn) > 0) return attack();
    const socket = await plainSocket(url, when.happens(0.5) ? stranger : token);
    for (const frame of frames) socket.ws.send(frame);
    const ended = await socket.ends(20_000);
    const seen = codes.get(name) ?? codes.set(name, new Map()).get(name);
    seen?.set(ended, (seen.get(ended) ?? 0) + 1);
    const last: Message = socket.heard.findLast(({ type }) => type === "error");
    if (ended !== code || last === undefined) faults.push(`${name}: ${ended}, ${JSON.stringify(last)}`);
  }

  async function attacker(): Promise<void> {
    for (; left > 0 && faults.length === 0; left -= 1) await attack();
  }

  async function wave(): Promise<number> {
    left = connections / 3;
    const ids = await stage.submit(250, () => ({ ms: 100 }));
    attacked = ids[0] ?? "";
    await Promise.all(Array.from({ length: sideBySide }, attacker));
    await stage.allEnded(30_000);
    return memoryOf(stage.server.pid());
  }

  const memory = [await wave(), await wave(), await wave()] as const;
  t.diagnostic(
    `MiB after each wave: ${memory.join(", ")}; ${[...codes].map(([name, seen]) => `${name} ${[...seen]}`)}`,
  );
  assert.deepEqual(faults, []);
  assert.ok(memory[2] - memory[0] < growthMax, `memory grew: ${memory}`);
  const begun = starts(crew);
  const histories = await stage.settle();
  for (const { task, events } of histories.values()) {
    assert.deepEqual([task.row.state, task.row.attempt], ["completed", 1], JSON.stringify(events));
    assert.equal(task.outcome?.result, JSON.stringify({ of: task.card.id }), job);
    assert.equal(begun.get(task.card.id), 1);
  }
});

function memoryOf(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kibibytes) / 1_024);
}
