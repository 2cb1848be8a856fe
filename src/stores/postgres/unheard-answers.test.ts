// Answers that nobody hears, and questions about them that nobody answers. A task that was claimed without its worker
// being told goes back, whoever notices first.

import assert from "node:assert/strict";
import { describe } from "node:test";
import { Problem } from "../../core/problem.ts";
import { aDemand, aPulse, aTaker, aTask, aWrite, taskId, workerId } from "../../testing/builders.ts";
import { type Scene, scene } from "../../testing/cut-scene.ts";
import { commitText as commit } from "../../testing/cutting-proxy.ts";
import { worldStart } from "../../testing/manual-clock.ts";
import { testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { complete, ids } from "../../testing/store-contract/stage.ts";
import { until } from "../../testing/until.ts";

const url = testDatabaseUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_DATABASE_URL is not set";
const now = worldStart + 50;
const waitMs = 100;

describe("PostgreSQL, when nobody hears the answer", { skip }, () => {
  givenBack();
  unreadCards();
  unknownFates();
});

const held = ({ store }: Scene) => store.find("held", { workers: [workerId(1)], limit: 9 });

/** A claim that was committed, whose caller gave up before the database was back. */
async function claimUnheard(s: Scene, claiming: () => Promise<unknown>, text: string): Promise<void> {
  s.proxy.cut("answer", text);
  const lost = claiming();
  const refused = assert.rejects(lost, (error) => error instanceof Problem && error.code === "store-unavailable");
  await until("the answer is lost", () => s.proxy.cuts === 1);
  s.proxy.close();
  await refused;
  s.proxy.open();
  assert.deepEqual(await held(s), [taskId(1)], "the worker was never told");
}

async function oneUnheard(s: Scene): Promise<void> {
  await s.stage.submit(aTask({ lane: s.lane }));
  await claimUnheard(s, () => s.stage.claims([s.lane], {}, now), "claim_one_lane");
}

const back = ["task.submitted", "task.claimed", "task.released"];

function givenBack(): void {
  scene(
    "the next pulse gives back what was claimed, though nobody claims any more",
    async (s) => {
      await oneUnheard(s);
      await s.store.pulse(aPulse());
      await until("it is given back", async () => (await held(s)).length === 0);
      assert.deepEqual(await s.stage.moves(taskId(1)), back);
    },
    waitMs,
  );

  scene(
    "several demands give it back before they claim",
    async (s) => {
      await oneUnheard(s);
      const demand = aDemand({ lanes: [s.lane] });
      const { claimed } = await s.store.exchange([], [demand, demand], now + 5);
      assert.deepEqual(
        claimed.flat(2).map(({ row }) => [row.id, row.attempt]),
        [[taskId(1), 2]],
      );
    },
    waitMs,
  );

  scene(
    "a store that stops gives it back first",
    async (s) => {
      await oneUnheard(s);
      await s.store.stop();
      await s.store.start();
      assert.deepEqual(await s.stage.moves(taskId(1)), back);
    },
    waitMs,
  );

  scene(
    "what several demands claimed goes back too",
    async (s) => {
      const { store, stage, lane } = s;
      await stage.amend({ laneLimits: [{ lane, paused: false, maxRunning: 3 }] });
      await stage.submit(aTask({ lane }));
      const demand = aDemand({ lanes: [lane], limited: [lane] });
      await claimUnheard(s, () => store.exchange([], [demand, demand], now), commit);
      await store.pulse(aPulse());
      await until("it is given back", async () => (await held(s)).length === 0);
      assert.deepEqual(await stage.moves(taskId(1)), back);
    },
    waitMs,
  );
}

/** Cards so old are read on their own, after the claim was committed. */
const late = now + 8 * 24 * 3_600_000;
const cardQuestion = "join task t on t.id = n.id";

function unreadCards(): void {
  scene("cards that cannot be read cost the claim, not what was settled with it", async (s) => {
    const { store, stage, proxy, lane } = s;
    await stage.submit(...[1, 2, 3].map((n) => aTask({ id: taskId(n), lane })));
    const first = await stage.claim(lane, { assign: true }, now);
    proxy.garble(cardQuestion);
    const demand = aDemand({ lanes: [lane], takers: [aTaker({ limit: 2 })] });
    const { written, claimed } = await store.exchange([aWrite(first, [complete], late)], [demand], late);
    assert.deepEqual([written, claimed], [[true], [[[]]]]);
    assert.deepEqual(ids(await stage.claims([lane], { limit: 9 }, late + 1)), [2, 3].map(taskId));
    assert.deepEqual(await stage.moves(taskId(2)), [...back, "task.claimed"]);
    assert.deepEqual(await held(s), [2, 3].map(taskId));
  });

  scene("cards that cannot be read after a claim alone leave no task behind", async (s) => {
    const { store, stage, proxy, lane } = s;
    await stage.submit(aTask({ lane }));
    proxy.garble(cardQuestion);
    assert.deepEqual(await stage.claims([lane], {}, late), []);
    await store.pulse(aPulse());
    await until("it is given back", async () => (await held(s)).length === 0);
    assert.deepEqual(await stage.moves(taskId(1)), back);
  });
}

function unknownFates(): void {
  scene("a question about a commit that was refused is asked again", async ({ store, stage, proxy, lane }) => {
    await stage.submit(aTask({ lane }));
    await stage.claim(lane, { assign: true }, now);
    proxy.cut("answer", commit);
    proxy.garble("from transaction_mark");
    const { answer } = await store.amend({ tasks: [taskId(1)] }, (view) => {
      const tasks = [...view.tasks.values()];
      const current = (tasks[0]?.row.progress?.current ?? 0) + 1;
      const progress = { current, total: null, message: null };
      return { answer: current, tasks: tasks.map((task) => aWrite(task, [{ type: "progress", progress }], now)) };
    });
    assert.equal(proxy.cuts, 1);
    assert.equal(answer, 1, "it was committed, so it is not made again");
    assert.equal((await stage.task(taskId(1)))?.row.progress?.current, 1);
  });
}
