// The seed may be given: node tools/node.mjs test/sdk/job-manager/no-task-stranded.test.ts 42

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Category, Extension } from "../../../src/sdk/index.ts";
import { until } from "../../../src/testing/until.ts";
import { type Fault, managerScene } from "./wire-scene.ts";

const scene = await managerScene();
const { admin } = scene;

class Work extends Extension {
  static readonly category = Category.MODIFIER;
  static readonly schema = { type: "object" };
  run() {}
}

/** What may go wrong with a request about tasks; mostly nothing. */
const fault = fc.oneof(
  { weight: 6, arbitrary: fc.constant("none" as const) },
  { weight: 1, arbitrary: fc.constantFrom("never-arrives" as const, "answer-is-lost" as const) },
  { weight: 1, arbitrary: fc.constantFrom(500, 503, 418) },
);

/** What a handler does. */
const deed = fc.constantFrom("answer", "throw", "circle", "nothing");

function faultOf(drawn: string | number): Fault | undefined {
  if (drawn === "none") return undefined;
  if (typeof drawn === "string") return drawn as Fault;
  const body = { type: "/v1/problems/planted", title: "Planted", status: drawn, detail: "It was planted" };
  return Response.json(body, { status: drawn });
}

interface Story {
  readonly faults: readonly (string | number)[];
  readonly deeds: readonly string[];
}

const story = fc.record({
  faults: fc.array(fault, { minLength: 12, maxLength: 12 }),
  deeds: fc.array(deed, { minLength: 4, maxLength: 4 }),
});

const [seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);

test(`whatever goes wrong on the wire, no task stays claimed by a manager that lives (seed ${seed})`, async () => {
  // Side by side, since most of their time is spent waiting before the next try.
  await Promise.all(fc.sample(story, { numRuns: 12, seed }).map((told, index) => play(told, `room-${index}`)));
});

async function play({ faults, deeds }: Story, room: string): Promise<void> {
  const { manager, wire } = scene.manager({
    execute({ extension }) {
      const { how } = extension as unknown as { how: string };
      if (how === "throw") throw new Error("planted");
      const circle: unknown[] = [];
      circle.push(circle);
      return how === "circle" ? circle : how;
    },
  });
  await manager.register(Work, { room });
  const left = [...faults];
  wire.meddle = (request) => (/ \/tasks/.test(request) ? faultOf(left.shift() ?? "none") : undefined);
  const ids: string[] = [];
  for (const how of deeds) {
    const { body } = await admin.post(`/rooms/lab/tasks/${room}:modifiers:Work`, { payload: { how } });
    ids.push(body.id);
  }
  const isOver = async (id: string) => ["completed", "failed"].includes((await admin.get(`/tasks/${id}`)).body.status);
  for (const id of ids) await until(`task ${id} is over; ${JSON.stringify(faults)}`, () => isOver(id), 30_000);
  for (const id of ids) {
    const { body } = await admin.get(`/tasks/${id}/events`);
    const ends = body.items.filter(({ type }: { type: string }) => /\.(?:completed|failed)$/.test(type));
    assert.equal(ends.length, 1, "one outcome");
  }
  await manager.disconnect();
}
