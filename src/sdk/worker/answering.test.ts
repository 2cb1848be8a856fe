import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedLog } from "../../testing/recorded-log.ts";
import { answering } from "./answering.ts";
import type { ObedienceParts } from "./obedience.ts";

function aListener(request: (path: string) => Promise<unknown>) {
  const heard: string[] = [];
  const parts: ObedienceParts = {
    ...{ log: recordedLog() as never, setConcurrency() {}, handBack() {}, letGo() {} },
    onCommand: ({ type }) => void heard.push(type),
  };
  const answer = answering({ request: (async (_method: string, path: string) => request(path)) as never }, parts);
  return { heard, answer };
}

test("a command that comes again, because the heartbeat crossed its acknowledgement, is acknowledged again and not obeyed", async () => {
  const asked: string[] = [];
  const { heard, answer } = aListener(async (path) => void asked.push(path));
  answer("w", [{ id: "c", type: "pause" }]);
  await new Promise(setImmediate);
  answer("w", [{ id: "c", type: "pause" }]);
  assert.deepEqual(heard, ["pause"]);
  assert.deepEqual(asked, ["/workers/w/commands/c/ack", "/workers/w/commands/c/ack"]);
});

test("an acknowledgement that is lost harms nobody", async () => {
  const { heard, answer } = aListener(() => Promise.reject(new Error("gone")));
  answer("w", [{ id: "c", type: "drain" }]);
  answer("w", [{ id: "c", type: "drain" }]);
  await new Promise(setImmediate);
  assert.deepEqual(heard, ["drain"]);
});
