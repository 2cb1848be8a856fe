import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../src/testing/until.ts";
import { run, serve, temporaryFolder } from "../leadhand-process.ts";

const file = fileURLToPath(new URL("../internal-jobs/jobs.ts", import.meta.url));

async function caller(url: string, data: string) {
  const token = (await readFile(join(data, "admin-token"), "utf8")).trim();
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  return async (method: string, path: string, body?: unknown): Promise<any> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/v1${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return answer.json();
  };
}

test("a server whose internal jobs cannot be loaded does not start, says why, and leaves its data free", async () => {
  const data = await temporaryFolder();
  const missing = join(data, "nowhere.mjs");
  const refused = await run(["serve", "--port", "0", "--data", data, "--internal", missing]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /leadhand serve: .*nowhere\.mjs cannot be used for internal jobs: Cannot find module/);
  assert.equal(refused.out, "");
  const server = await serve(["--data", data]);
  assert.equal(await server.stop(), 0);
});

test("what handlers print is no word of the server's", async () => {
  const data = await temporaryFolder();
  const server = await serve(["--data", data], { LEADHAND_INTERNAL: file });
  const ask = await caller(server.url, data);
  await ask("POST", "/rooms/lab/tasks/@internal:modifiers:Print", { payload: {} });
  await until("it has printed", () => server.err().includes("printed by a handler"));
  assert.match(server.out(), /^leadhand ready http\S+\n$/);
  assert.equal(await server.stop(), 0);
});

test("a server that is told to stop lets a handler end, hands back one that does not, and the next server runs it", async () => {
  const data = await temporaryFolder();
  const settings = { LEADHAND_INTERNAL: file, LEADHAND_STOP_GRACE: "2s" };
  const first = await serve(["--data", data], settings);
  const ask = await caller(first.url, data);
  const submit = async (job: string, payload: unknown): Promise<string> =>
    (await ask("POST", `/rooms/lab/tasks/@internal:modifiers:${job}`, { payload })).id;
  const runs = async (id: string) => (await ask("GET", `/tasks/${id}`)).status === "running";
  const endless = await submit("Spin", {});
  await until("the endless one runs", () => runs(endless));
  // It is still at it when the server is told to stop.
  const nap = await submit("Nap", { ms: 1_000 });
  await until("the short one runs", () => runs(nap));
  assert.equal(await first.stop(), 0);

  const second = await serve(["--data", data], settings);
  const again = await caller(second.url, data);
  assert.deepEqual((await again("GET", `/tasks/${nap}`)).result, { attempt: 1 });
  await until("it runs again", async () => (await again("GET", `/tasks/${endless}`)).attempt === 2);
  const { items } = await again("GET", `/tasks/${endless}/events`);
  const released = items.find(({ type }: { type: string }) => type === "task.released");
  assert.equal(released?.data.reason, "server_stopping");
  assert.equal(await second.stop(), 0);
});
