// The contracts of the ports, as someone who writes a store or a bus would use them.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { builders, busContract, localBus, memoryStore, storeContract } from "../../src/testing/index.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";

await storeContract("a store of one's own", async () => ({ store: memoryStore(), dispose: async () => {} }), {
  histories: { runs: 20, length: 20 },
});
await busContract("a bus of one's own", { open: () => localBus(recordedLog()), shared: false });

test("builders give whole records of which a test names only a part", async () => {
  const store = memoryStore();
  await store.start();
  await store.amend({}, () => ({ answer: null, jobs: [builders.aJob({ name: builders.jobName })] }));
  const { jobs } = await store.read("catalog", { after: 0 });
  assert.deepEqual(
    jobs.map(({ name }) => name),
    [builders.jobName],
  );
});

test("whoever calls no contract loads no fast-check", () => {
  const door = new URL("../../src/testing/index.ts", import.meta.url).href;
  const program = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier === "fast-check") throw new Error("fast-check was asked for");
        return next(specifier, context);
      },
    });
    const { testServer, storeContract } = await import(${JSON.stringify(door)});
    await (await testServer()).stop();
    console.log(await storeContract("x", null).catch(({ message }) => message));
  `;
  const args = [fileURLToPath(new URL("../../tools/node.mjs", import.meta.url)), "--input-type=module", "-e", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(stdout, "fast-check was asked for\n", stderr);
});
