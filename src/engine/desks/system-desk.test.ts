import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { StoreSize } from "../../ports/store-size.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { defaultSettings, type Surroundings } from "../surroundings.ts";
import { noFacts, type ServerFacts, type SystemDeskParts, sizeEveryMs, systemDesk } from "./system-desk.ts";

const ada: Principal = { user: "ada", role: "admin", rooms: null, jobs: null, token: null };
const size: StoreSize = { kind: "memory", version: null, bytes: 1, walBytes: null, tables: [], migrations: [] };

function scene(facts: ServerFacts, looks: SystemDeskParts["operations"]["brokerLooks"] = async () => null) {
  const clock = manualClock();
  const asked: (StoreSize | Problem)[] = [];
  const answers: (StoreSize | Problem)[] = [];
  const read = async (): Promise<StoreSize> => {
    const answer = answers.shift() ?? size;
    asked.push(answer);
    if (answer instanceof Problem) throw answer;
    return answer;
  };
  const brokerQueues = new Map([["renders", "job"] as const, ["steps", "operation"] as const]);
  const settings = { ...defaultSettings, brokerQueues, node: { version: "1.2.3", address: null } };
  const record = () => ({ leader: true, lastAt: null, lastMs: null, runs: 0, moved: {} });
  const desk = systemDesk({ store: { read }, clock, settings } as unknown as Surroundings, {
    operations: { nodeId: "n", sweeper: { record }, brokerLooks: looks } as unknown as SystemDeskParts["operations"],
    facts,
  });
  return { clock, asked, answers, desk };
}

test("however many ask, the database is asked for its size every ten seconds", async () => {
  const { clock, asked, desk } = scene(noFacts);
  await Promise.all([desk.look(ada), desk.look(ada)]);
  clock.advance(sizeEveryMs - 1);
  await desk.look(ada);
  assert.equal(asked.length, 1);
  clock.advance(1);
  await desk.look(ada);
  assert.equal(asked.length, 2);
});

test("that the database did not answer is not remembered", async () => {
  const { answers, desk } = scene(noFacts);
  answers.push(new Problem("store-unavailable", "It is away"));
  await assert.rejects(desk.look(ada), { code: "store-unavailable" });
  assert.equal((await desk.look(ada)).store, size);
});

test("a broker is told of with its queues, and with nothing of them while it is away", async () => {
  let away: number | null = null;
  const broker = { url: "amqp://u:***@h", isUp: () => away === null, awaySince: () => away };
  const { desk } = scene({ ...noFacts, broker }, async (queue) =>
    queue === "renders" ? { awaySince: away, look: away === null ? { waiting: 3, consumers: 2 } : null } : null,
  );
  const steps = { name: "steps", ready: null, consumers: null };
  assert.deepEqual((await desk.look(ada)).broker, {
    ...{ url: broker.url, connected: true, awaySince: null },
    queues: [{ name: "renders", ready: 3, consumers: 2 }, steps],
  });
  away = 5;
  assert.deepEqual((await desk.look(ada)).broker, {
    ...{ url: broker.url, connected: false, awaySince: 5 },
    queues: [{ name: "renders", ready: null, consumers: null }, steps],
  });
});

test("the calls that took the most time in all come first, and not more than twenty", async () => {
  const call = (totalMs: number) => ({ calls: 1, totalMs, meanMs: totalMs, p95Ms: totalMs, maxMs: totalMs });
  const calls = new Map(Array.from({ length: 30 }, (_, n) => [`read ${n}`, call(n)]));
  const { desk } = scene({ ...noFacts, storeCalls: () => calls });
  const told = (await desk.look(ada)).calls.map(({ name }) => name);
  assert.deepEqual(
    told,
    Array.from({ length: 20 }, (_, n) => `read ${29 - n}`),
  );
});
