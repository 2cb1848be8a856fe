import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedLog } from "../testing/recorded-log.ts";
import { listeners } from "./listeners.ts";

test("the first listener of a topic is made known, the second is not, and after all have gone the next is again", () => {
  const begun: string[] = [];
  const here = listeners(null, (topic) => void begun.push(topic));
  const ends = [here.add("a", () => undefined), here.add("a", () => undefined)];
  assert.deepEqual(begun, ["a"]);
  for (const end of ends) end();
  assert.deepEqual([...here.topics()], []);
  here.add("a", () => undefined);
  assert.deepEqual(begun, ["a", "a"]);
});

test("the same function subscribed twice is called twice and ends once at a time", () => {
  const here = listeners(null);
  let calls = 0;
  const listener = (): void => {
    calls += 1;
  };
  const end = here.add("a", listener);
  here.add("a", listener);
  here.deliver("a", "");
  assert.equal(calls, 2);
  end();
  end();
  here.deliver("a", "");
  assert.equal(calls, 3);
});

test("a listener that fails is logged with its topic", () => {
  const log = recordedLog();
  const here = listeners(log);
  const error = new Error("broken");
  here.add("a", () => {
    throw error;
  });
  here.deliver("a", "");
  assert.deepEqual(
    log.lines.map(({ level, fields }) => ({ level, fields })),
    [{ level: "error", fields: { topic: "a", error } }],
  );
});
