import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { Category, Extension, JobManager } from "../../../src/sdk/index.ts";
import { until } from "../../../src/testing/until.ts";

class Rotate extends Extension {
  static readonly category = Category.MODIFIER;
  run() {}
}

test("a beat that is never answered is followed by another before the server gives the worker up", async () => {
  let beats = 0;
  const server = createServer((asked, answer) => {
    if (asked.method === "PATCH") {
      beats += 1;
      if (beats === 1) return;
    }
    answer.setHeader("content-type", "application/json");
    answer.end(JSON.stringify({ id: "j1", worker_id: "w1", task: null }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const manager = new JobManager({ url, token: "lh_x" }, null, { heartbeatInterval: 0.2 });
  after(async () => {
    await manager.disconnect();
    server.closeAllConnections();
    server.close();
  });
  await manager.register(Rotate);
  await until("it beats again", () => beats > 1, 5_000);
  assert.ok(manager.workerId);
});
