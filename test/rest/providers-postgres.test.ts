import assert from "node:assert/strict";
import { test } from "node:test";
import { providerQuestion } from "../../src/core/provider.ts";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { expectProblem } from "./expect-problem.ts";
import { restScene } from "./scene.ts";
import { the } from "./workshop.ts";

test("two servers on one database share providers, their answers and who waits for them", withPostgres, async () => {
  const flags = { "database-url": await freshDatabase() };
  const here = await restScene(flags);
  const there = await restScene(flags);
  const token = (await here.caller("ada", { role: "admin" })).token;
  const words = { category: "files", name: "reader", content_type: "text/plain" };
  const registered = await here.send("PUT", "/v1/rooms/lab/providers", { token, body: JSON.stringify(words) });
  const { id, full_name, worker_id } = the(201, registered);
  const read = (scene: typeof here, n: number, wait = 20) =>
    scene.send("GET", `/v1/rooms/lab/providers/${full_name}?n=${n}`, { token, headers: { prefer: `wait=${wait}` } });
  const upload = (scene: typeof here, n: number, body: string | Uint8Array) => {
    const headers = { "x-request-hash": providerQuestion(new Map([["n", `${n}`]])).hash };
    return scene.send("POST", `/v1/providers/${id}/results`, { token, headers, body });
  };

  const reads = [read(here, 1), read(there, 1), read(there, 1)];
  const waiting = () => here.serving.operations.waitingReads() + there.serving.operations.waitingReads();
  await until("all reads wait", () => waiting() === 3);
  the(204, await upload(here, 1, "told here"));
  for (const each of await Promise.all(reads)) {
    assert.deepEqual([each.status, each.text, each.headers.get("preference-applied")], [200, "told here", "wait=20"]);
  }
  assert.equal((await read(there, 1)).text, "told here", "and it is kept for both");

  const large = new Uint8Array(4_000_000).map((_, n) => (n * 7) % 256);
  the(204, await upload(there, 2, large));
  const answer = await fetch(`${here.url}/v1/rooms/lab/providers/${full_name}?n=2`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(Buffer.compare(new Uint8Array(await answer.arrayBuffer()), large), 0);

  the(
    200,
    await there.send("PUT", "/v1/rooms/lab/providers", { token, body: JSON.stringify({ ...words, worker_id }) }),
  );
  expectProblem(await read(here, 1, 0), "provider-timeout");
  the(204, await here.send("DELETE", `/v1/workers/${worker_id}`, { token }));
  expectProblem(await read(there, 1, 0), "provider-not-found");
});
