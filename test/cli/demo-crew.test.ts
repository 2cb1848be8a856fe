import assert from "node:assert/strict";
import { test } from "node:test";
import { demoCrew } from "../../src/cli/demo/crew.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";

const { url, admin } = await restScene();
const namesOfWorkers = async (): Promise<string[]> =>
  (await admin.get("/workers")).body.items.map(({ name }: { name: string }) => name).toSorted();

test("a worker of the demo that cannot go on is told by its name, and the others can be stopped", async () => {
  const crew = demoCrew();
  crew.start({ url, token: "lh_of_somebody_else" });
  await assert.rejects(crew.failed, /^Error: The worker demo-\d failed: /);
  await crew.stop();
});

test("a crew says goodbye when it is stopped, and one that was never started just ends", async () => {
  const crew = demoCrew();
  crew.start({ url, token: admin.token });
  await until("both are there", async () => (await namesOfWorkers()).join() === "demo-1,demo-2", 20_000);
  await Promise.all([crew.stop(), demoCrew().stop()]);
  await crew.stop();
  assert.deepEqual(await namesOfWorkers(), []);
});
