// A private node, and what becomes of messages when it is killed or full.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { realSurroundings } from "../src/testing/real-surroundings.ts";
import { recordedLog } from "../src/testing/recorded-log.ts";
import { until } from "../src/testing/until.ts";
import { rabbitCourier } from "../src/transports/amqp/rabbit-courier.ts";
import { brokerSwitch, type RabbitmqControl, rabbitmqUrl } from "../tools/rabbitmq.ts";
import { withRabbitmq } from "./fresh-broker.ts";

const comesMs = 30_000;
const queue = "jobs";

const tool = fileURLToPath(new URL("../tools/rabbitmq.ts", import.meta.url));
const owner = `
  import { startRabbitmq } from ${JSON.stringify(tool)};
  const { control } = await startRabbitmq();
  console.log(JSON.stringify(control));
  setInterval(() => {}, 1_000);
`;
let killOwner = () => {};
after(() => killOwner());

async function ownedNode(): Promise<RabbitmqControl> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", owner], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  killOwner = () => child.kill("SIGKILL");
  const [text] = (await once(child.stdout, "data")) as [Buffer];
  return JSON.parse(text.toString()) as RabbitmqControl;
}

test("messages outlive a broker that is killed, and one that is full keeps nobody waiting", withRabbitmq, async () => {
  const { clock } = realSurroundings();
  const log = recordedLog();
  const control = await ownedNode();
  const rabbitmq = brokerSwitch(control);
  const url = rabbitmqUrl(control);
  const courier = rabbitCourier({ url, name: "test", queues: [queue], clock, log, confirmWithinMs: 3_000 });
  try {
    await courier.start();
    await until("the broker is there", courier.isUp, comesMs);
    assert.deepEqual(await courier.publish(queue, ["1", "2", "3"]), [true, true, true]);

    // A message is on disk when it is confirmed; a queue that was made a moment ago is not, and would be gone with all of them.
    await rabbitmq.ctl("eval", "mnesia:sync_log().");
    await rabbitmq.kill();
    await until("it is missed", () => !courier.isUp(), comesMs);
    assert.deepEqual(await courier.publish(queue, ["4"]), [false]);
    await rabbitmq.up();
    await until("it is there again", courier.isUp, comesMs);
    assert.equal(await courier.depth(queue), 3);
    assert.deepEqual(await courier.publish(queue, ["4"]), [true]);

    await rabbitmq.ctl("set_vm_memory_high_watermark", "absolute", "1MB");
    // It says so when the next message comes, which it takes only later.
    assert.deepEqual(await courier.publish(queue, ["5"]), [false]);
    assert.equal(courier.isUp(), false);
    assert.deepEqual([await courier.publish(queue, ["6"]), await courier.depth(queue)], [[false], null]);
    await rabbitmq.ctl("set_vm_memory_high_watermark", "0.6");
    await until("it takes messages again", courier.isUp, comesMs);
    assert.deepEqual(await courier.publish(queue, ["7"]), [true]);
  } finally {
    await courier.stop();
    killOwner();
  }
  const levels = log.lines.map(({ level }) => level);
  assert.deepEqual(levels, ["info", "warn", "info", "warn", "info"]);
  // The node goes with the process that started it, however that ends, and whoever else has switched it off and on.
  await until("nothing is left of the node", () => !existsSync(control.folder), comesMs);
});
