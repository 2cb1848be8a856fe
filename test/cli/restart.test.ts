import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { leadhand, serve, temporaryFolder } from "../leadhand-process.ts";
import { rotate } from "./command-scene.ts";

const data = await temporaryFolder();

test("who waits for a task waits on when the server goes and comes back", async () => {
  const before = await serve(["--data", data]);
  const { url } = before;
  const token = readFileSync(join(data, "admin-token"), "utf8").trim();
  const ask = async (method: string, path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", prefer: "wait=20" };
    const answer = await fetch(`${url}/v1${path}`, { method, headers, body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
    return (await answer.json()) as any;
  };
  const { worker_id } = await ask("PUT", "/rooms/@global/jobs", { category: "modifiers", name: "Rotate" });
  const environment = { LEADHAND_URL: url, LEADHAND_DATA: data };
  const waiting = leadhand(["submit", rotate, "--wait"], environment);
  const one = (await ask("POST", "/tasks/claim", { worker_id })).task;
  const following = leadhand(["submit", rotate, "--follow"], environment);
  const other = (await ask("POST", "/tasks/claim", { worker_id })).task;
  await until(
    "both have begun to wait",
    () => waiting.err().includes(one.id) && following.err().includes("claimed"),
    10_000,
  );
  await before.stop();
  await until("it is missed", () => [waiting, following].every((each) => /trying again\n/.test(each.err())), 15_000);
  const after = await serve(["--data", data, "--port", new URL(url).port]);
  for (const { id, lease_token } of [one, other]) {
    await ask("PATCH", `/tasks/${id}`, { status: "running", lease_token });
    await ask("PATCH", `/tasks/${id}`, { status: "completed", result: id, lease_token });
  }
  assert.deepEqual([await waiting.ended, await following.ended], [0, 0], waiting.err() + following.err());
  assert.deepEqual([JSON.parse(waiting.out()), JSON.parse(following.out())], [one.id, other.id]);
  await after.stop();
});
