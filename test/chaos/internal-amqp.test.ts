// Internal jobs behind a RabbitMQ of their own, of which everything is killed once: an executor, the server, the broker. Then
// the server pauses, and RabbitMQ runs out of memory.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../src/testing/until.ts";
import { NoRabbitmq, type Rabbitmq, startRabbitmq } from "../../tools/rabbitmq.ts";
import { executorProcess, ownJobs } from "../internal-jobs/executors.ts";
import { asker } from "./internal/stage.ts";
import { restServer } from "./rest/rest-server.ts";

const rabbitmq = await startOrNot();
after(() => rabbitmq?.stop());
const needsRabbitmq = { skip: rabbitmq === undefined && "there is no RabbitMQ" };

const twice = ["submitted", "claimed", "started", "lost", "claimed", "started"];

test(
  "internal tasks go on whatever is killed or paused: an executor, the server, RabbitMQ",
  needsRabbitmq,
  async () => {
    const { url } = rabbitmq as Rabbitmq;
    const file = await ownJobs();
    const options = { url, file, places: 4, graceSeconds: 1 };
    const settings = {
      ...{ LEADHAND_INTERNAL: file, LEADHAND_INTERNAL_BROKER: "amqp", LEADHAND_AMQP_URL: url },
      ...{ LEADHAND_INTERNAL_LOST_AFTER: "2s", LEADHAND_INTERNAL_THREADS: "4", LEADHAND_STOP_GRACE: "1s" },
    };
    const [server, first] = await Promise.all([restServer({ settings }), executorProcess(options)]);
    const ask = asker(server);
    const echoed = (await ask.submit("Echo", { n: 1 })) as string;
    await ask.becomes(echoed, "completed");

    const waiting = (await ask.submit("Wait")) as string;
    await ask.becomes(waiting, "running");
    first.child.kill("SIGKILL");
    const second = await executorProcess(options);
    await until("it runs again", async () => (await ask.history(waiting)).join() === twice.join(), 20_000);

    await server.kill();
    await server.start();
    const thrice = [...twice, "lost", "claimed", "started"];
    await until("and again", async () => (await ask.history(waiting)).join() === thrice.join(), 20_000);
    await ask.cancel(waiting);

    const napping = (await ask.submit("Nap", { ms: 2_000 })) as string;
    await ask.becomes(napping, "running");
    await (rabbitmq as Rabbitmq).kill();
    const meanwhile = (await ask.submit("Echo", { n: 2 })) as string;
    await (rabbitmq as Rabbitmq).up();
    for (const id of [napping, meanwhile]) await ask.becomes(id, "completed", 20_000);
    assert.deepEqual((await ask.task(napping)).result, { attempt: 1 });

    const pausing = (await ask.submit("Nap", { ms: 9_000 })) as string;
    await ask.becomes(pausing, "running");
    process.kill(server.pid(), "SIGSTOP");
    // Longer than executors may be silent: the pause itself is what is looked at.
    await pause(7_000);
    process.kill(server.pid(), "SIGCONT");
    await ask.becomes(pausing, "completed", 20_000);
    assert.deepEqual((await ask.task(pausing)).result, { attempt: 1 });

    const { ctl } = rabbitmq as Rabbitmq;
    await ctl("set_vm_memory_high_watermark", "0.00001");
    const isBlocked = async () => (await ctl("list_connections", "state")).includes("blocked");
    await until("RabbitMQ takes nothing more", isBlocked, 30_000);
    second.child.kill("SIGTERM");
    const ended = Promise.race([second.ended, pause(20_000, "still there")]);
    assert.equal(await ended, 0);
    await ctl("set_vm_memory_high_watermark", "0.4");
    assert.equal(await server.stop(), 0);
    const { code, out, err } = await server.command("verify");
    assert.equal(code, 0, out + err);
  },
);

async function startOrNot(): Promise<Rabbitmq | undefined> {
  try {
    return await startRabbitmq();
  } catch (error) {
    if (!(error instanceof NoRabbitmq)) throw error;
    return undefined;
  }
}
