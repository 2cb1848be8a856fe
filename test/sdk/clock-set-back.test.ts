import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { heart } from "../../src/sdk/heartbeat/heart.ts";

test("a program whose clock is set back or forth is not taken for a busy one", async (t) => {
  const { promise: heard, resolve: hear } = Promise.withResolvers<string>();
  const server = createServer(async (asked, answer) => {
    hear(await text(asked));
    answer.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const real = Date.now;
  t.mock.method(Date, "now", () => real() - 3_600_000);
  const beats = heart({ url, everyMs: 1_000, socket: false, onWord() {}, onDeath: assert.fail });
  beats.start("w1", [], {}, 1);
  const { blocked_ms: blockedMs } = JSON.parse(await heard);
  await beats.stop();
  server.close();
  assert.ok(blockedMs < 60_000, `it was blocked for ${blockedMs} ms`);
});
