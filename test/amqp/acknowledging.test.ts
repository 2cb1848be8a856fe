// When a message is done with, by real deliveries (LEADHAND_TEST_AMQP_URL). A consumer with a prefetch of one is given its next
// message only then, so whether an unreadable one behind it is among the dead letters tells it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OperationRegistry, OperationResult } from "../../src/sdk/index.ts";
import { consumerScene, operation } from "./consumer-scene.ts";
import { gate, patiently, stage, withBoth } from "./document-scene.ts";
import { proxy } from "./proxy.ts";
import { skip } from "./scene.ts";

const moments = ["while it is claimed", "while it runs", "when it has ended"] as const;

describe("acknowledging", { skip, concurrency: false }, () => {
  for (const [ackMode, when] of [
    ["preAck", "while it is claimed"],
    ["afterClaim", "while it runs"],
    ["afterJob", "when it has ended"],
  ] as const) {
    it(`“the original delivery has already been acked to avoid AMQP consumer_timeout”: with ${ackMode}, ${when}`, async () => {
      const { broker, queue, submit, is, consumer, server } = await consumerScene();
      const [claiming, running] = [gate(), gate()];
      const url = await proxy(server.url, async (path) => {
        if (path === "/v1/tasks/claim") await claiming.pass();
      });
      await consumer((worker) => worker.job(operation, {}, () => running.pass()), {
        ...{ url, ackMode, concurrency: 1, prefetch: 0 },
      });
      const next = `behind ${ackMode}`;
      const isDone = async (): Promise<boolean> => (await broker.deadLetters()).includes(next);
      async function look(moment: (typeof moments)[number]): Promise<void> {
        const [now, then] = [moments.indexOf(moment), moments.indexOf(when)];
        if (now === then) await patiently(`it is done with ${moment}`, isDone);
        else if (now < then) assert.equal(await broker.depth(queue), 1, `it is not done with ${moment}`);
      }
      const id = await submit();
      await broker.tell(queue, id);
      await claiming.entered;
      await broker.send(queue, next);
      await look("while it is claimed");
      claiming.open();
      await running.entered;
      await look("while it runs");
      running.open();
      await is(id, "completed");
      await look("when it has ended");
      await patiently("nothing is left", async () => (await broker.depth(queue)) === 0);
    });
  }
});

describe("operations without memory", withBoth, () => {
  it("an operation that is out of memory is published again with its tries in a header, and the parent is told", async () => {
    const scene = await stage({ database: "sqlite" });
    const { submit, is, admin, batch } = scene;
    let tries = 0;
    const registry = new OperationRegistry()
      .register({
        name: "coordinate",
        execute: () => new OperationResult({ publishOperations: [[batch, { operation: "infer", payload: {} }]] }),
      })
      .register({
        name: "infer",
        execute() {
          tries += 1;
          if (tries === 1) throw new Error("CUDA out of memory. Tried to allocate 2.00 GiB");
          return {};
        },
      });
    scene.consume(registry);
    scene.consume(registry, { kind: "operation" });
    const id = await submit("coordinate");
    await is(id, "completed");
    assert.equal(tries, 2);
    const { items } = (await admin.get(`/tasks/${id}/logs`)).body;
    const told = items.filter(({ event }: { event: string }) => event === "child.cuda_oom_retry");
    assert.deepEqual(
      told.map(({ fields }: { fields: object }) => fields),
      [{ operation: "infer", index: 0, try: 1, delay_seconds: 5 }],
    );
  });
});
