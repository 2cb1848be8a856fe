// What the fleet's list shows of SDK workers, whatever their link, and which of them get tasks of a job with labels.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { clientOf, hire } from "./scene.ts";

const scene = await restScene();
const where = { url: scene.url, token: scene.admin.token };

for (const link of ["work", "rest"] as const) {
  test(`a worker by way of ${link} says where it runs, what it can take, and how it is`, async () => {
    const name = `@global:modifiers:Seen${link}`;
    const options = { link, concurrency: 3, name: `seen-${link}`, labels: { site: "north" } };
    const { ids } = await hire(where, (worker) => worker.job(name, {}, () => 1), options).start();
    let shown: Record<string, unknown> & { status?: Record<string, unknown> } = {};
    await until("it has said how it is", async () => {
      const { items } = (await scene.admin.get("/workers?limit=100")).body;
      shown = items.find(({ id }: { id: string }) => id === ids.at(-1)) ?? {};
      return Object.values(shown.status ?? { none: null }).every((value) => typeof value === "number");
    });
    assert.deepEqual(
      [shown["door"], shown["profile"], shown["state"], shown["capacity"], shown["held"], shown["labels"]],
      [link, link, "ONLINE", 3, 0, { site: "north" }],
    );
    assert.match(String(shown["version"]), /^leadhand \d+\.\d+/);
    assert.ok(String(shown["hostname"]) !== "" && String(shown["os"]).includes(process.platform));
    assert.deepEqual(Object.keys(shown.status ?? {}).sort(), ["cpuPercent", "loopLagMs", "ramBytes"]);
  });

  test(`a job with labels runs by way of ${link} where they are carried`, async () => {
    const name = `@global:modifiers:Labelled${link}`;
    const job = (answer: string) => (worker: Parameters<Parameters<typeof hire>[1]>[0]) =>
      void worker.job(name, { labels: { gpu: "yes" } }, () => answer);
    await hire(where, job("plain"), { link }).start();
    await hire(where, job("gpu"), { link, labels: { gpu: "yes" } }).start();
    const client = clientOf(where);
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.run(name, {})));
    assert.deepEqual(new Set(answers), new Set(["gpu"]));
  });
}
