import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, type ClientBase } from "pg";
import { stagesIn } from "../../core/task-row.ts";
import { aTask, taskId } from "../../testing/builders.ts";
import { lookIntoLongTexts } from "../../testing/long-texts.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { postgresSchema } from "../../testing/postgres-schema.ts";
import { testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { stageOn } from "../../testing/store-contract/stage.ts";
import { postgresStore } from "./postgres-store.ts";
import { taskScan } from "./task-scan.ts";

const url = testDatabaseUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_DATABASE_URL is not set";

test("of very long payloads one look reads only some", { skip }, async (t) => {
  const schema = postgresSchema(url);
  const store = postgresStore({ url, schema: schema.name, log: recordedLog(), clock: manualClock() });
  t.after(async () => {
    await store.stop();
    await schema.drop();
  });
  await store.start();
  await lookIntoLongTexts(store);
});

test("a task that is open all along is found among the open ones, whatever becomes of it while they are looked for", {
  skip,
}, async (t) => {
  const schema = postgresSchema(url);
  const store = postgresStore({ url, schema: schema.name, log: recordedLog(), clock: manualClock() });
  const client = new Client({ connectionString: url, options: `-c search_path=${schema.name}` });
  t.after(async () => {
    await client.end();
    await store.stop();
    await schema.drop();
  });
  await store.start();
  await client.connect();
  const stage = stageOn(store);
  const lane = await stage.begin();
  await stage.submit(aTask({ id: taskId(1), lane }));
  const restless = takenAndReleased(client, async () => {
    const task = await stage.claim(lane);
    return async () => void (await stage.settle(task, [{ type: "release", reason: "unfit" }]));
  });
  const stages = [...stagesIn("pending"), ...stagesIn("claimed"), ...stagesIn("running")];
  const pick = { now: 0, conditions: [{ kind: "stages", stages, not: false }] } as const;
  const query = { pick, before: null, rows: 100, limit: 100, want: "ids" } as const;
  for (let look = 0; look < 2; look += 1) {
    const { found } = await taskScan(restless, query);
    assert.deepEqual(
      found.map(({ id }) => id),
      [taskId(1)],
    );
  }
});

/** Before each statement of the client somebody takes the task, or gives it back. */
function takenAndReleased(client: Client, take: () => Promise<() => Promise<void>>): ClientBase {
  let turn: Promise<unknown> = Promise.resolve();
  let giveBack: (() => Promise<void>) | null = null;
  const move = async (): Promise<void> => {
    const back = giveBack;
    giveBack = back === null ? await take() : null;
    await back?.();
  };
  const query = (...words: Parameters<Client["query"]>) => {
    const answer = turn.then(move).then(() => client.query(...words));
    turn = answer;
    return answer;
  };
  return { query } as unknown as ClientBase;
}
