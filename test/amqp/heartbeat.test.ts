// What a consumer asks of its connection, seen on the wire to a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer } from "node:net";
import { after, test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { consumerScene, operation } from "./consumer-scene.ts";
import { amqpUrl, skip } from "./scene.ts";

/** Class and method, then channel-max (2 bytes), frame-max (4), heartbeat (2). */
const [tune, tuneOk] = [Buffer.from([0, 10, 0, 30]), Buffer.from([0, 10, 0, 31])];
const heartbeatFrom = 10;

/** A broker that leaves the heartbeat to its clients, and what they make of it, in seconds. */
async function undecidedBroker(): Promise<{ readonly url: string; readonly chosen: readonly number[] }> {
  const chosen: number[] = [];
  const url = new URL(amqpUrl);
  const standing = createServer((near) => {
    const far = connect(Number(url.port), url.hostname);
    far.on("data", (bytes) => {
      const at = bytes.indexOf(tune);
      if (at !== -1) bytes.writeUInt16BE(0, at + heartbeatFrom);
      near.write(bytes);
    });
    near.on("data", (bytes) => {
      const at = bytes.indexOf(tuneOk);
      if (at !== -1) chosen.push(bytes.readUInt16BE(at + heartbeatFrom));
      far.write(bytes);
    });
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      one.on("close", () => other.destroy());
      one.on("error", () => undefined);
    }
  });
  await new Promise<void>((resolve) => standing.listen(0, "127.0.0.1", resolve));
  after(() => void standing.close());
  const here = new URL(amqpUrl);
  here.hostname = "127.0.0.1";
  here.port = String((standing.address() as AddressInfo).port);
  return { url: here.href, chosen };
}

test("a consumer may be silent for 600 seconds, as far as it can say; the URL has the last word", {
  skip,
}, async () => {
  const { consumer } = await consumerScene();
  const { url, chosen } = await undecidedBroker();
  const connecting = (to: string) => consumer((worker) => worker.job(operation, {}, () => null), { amqpUrl: to });
  await connecting(url);
  await until("it has chosen", () => chosen.length === 1, 10_000);
  await connecting(`${url}?heartbeat=20`);
  await until("so has the other", () => chosen.length === 2, 10_000);
  assert.deepEqual(chosen, [600, 20]);
});
