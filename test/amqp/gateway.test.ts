// What stands in front of a server, and answers in its stead with pages of its own.

import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { consumerScene, operation } from "./consumer-scene.ts";
import { skip } from "./scene.ts";

/** Answers the first request for a path with a page, and hands all others on. */
async function gateway(target: string, path: string, status: number): Promise<{ url: string; refused(): boolean }> {
  let refused = false;
  const server = createServer((asked, answer) => {
    if (asked.url === path && !refused) {
      refused = true;
      asked.resume().on("end", () => answer.writeHead(status, { "content-type": "text/html" }).end("<p>Not now</p>"));
      return;
    }
    const headers = { ...asked.headers, connection: "close" };
    const onward = request(new URL(asked.url ?? "/", target), { method: asked.method, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, refused: () => refused };
}

for (const status of [403, 404, 408]) {
  for (const path of ["/v1/tasks/settle", "/v1/tasks/claim"]) {
    test(`a page with ${status} for ${path} costs a task time, and nothing else`, { skip }, async () => {
      const { server, broker, queue, submit, is, events, consumer } = await consumerScene();
      const { url, refused } = await gateway(server.url, path, status);
      let commits = 0;
      const sessions = { begin: () => ({}), commit: () => (commits += 1), rollback() {} };
      await consumer((worker) => void worker.job(operation, {}, () => ({ ok: true })), { url, sessions });
      const id = await submit();
      await broker.tell(queue, id);
      await until("the page is shown", refused, 10_000);
      await is(id, "completed");
      assert.deepEqual([commits, await events(id)], [1, ["task.submitted", "task.assigned", "task.completed"]]);
    });
  }
}
