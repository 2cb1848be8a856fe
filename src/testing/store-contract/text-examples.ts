// Payloads, results and all other texts come back as they came in, to the last character. The one exception is the NUL
// character itself, which PostgreSQL cannot keep in a text: callers refuse or replace it before it reaches a store, so
// no store is asked to. Its escaped form inside JSON text is ordinary text and must survive.

import assert from "node:assert/strict";
import type { Move } from "../../core/task.ts";
import {
  aCall,
  aKey,
  aLogLine,
  anOutboxItem,
  aRefusal,
  aTask,
  aWorkerEvent,
  aWrite,
  taskId,
  workerId,
} from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { type Example, start } from "./stage.ts";

const now = worldStart + 50;
const all = { limit: 100, offset: 0 };

const oddTexts: Readonly<Record<string, string>> = {
  "an empty text": "",
  "duplicate keys": '{"a":1,"a":2,"a":{"a":1,"a":2}}',
  "keys out of order and odd spacing": ' {"b" : 1 ,\t"a":\n2 }\r\n',
  "numbers that a parser would change": "[1.0,1e2,-0,12345678901234567890,0.1000]",
  "an escaped NUL": '{"a":"\\u0000","b":"\\\\u0000"}',
  "quotes, backslashes and braces": `{"a":"\\"'\`\\\\{}()[]<>,;:\\n\\t"}`,
  "characters of control": '{"a":"\u0001\u001f\u007f\u0085\u2028\u2029\ufeff"}',
  "letters of the world": '"é e\u0301 ß 漢字 العربية עברית ไทย 🦊 👩‍👩‍👧 𝒳 \ufffd"',
  "what looks like SQL": "'; drop table task; -- $1 ? :a %s $x \\. \\N",
  "what looks like an array literal": '{NULL,"NULL",\\N,}',
  "what looks like a number": "007",
  null: "null",
  "a very long text": JSON.stringify("0123456789abcdeé".repeat(65_536)),
};

export function textExamples(example: Example): void {
  for (const [what, text] of Object.entries(oddTexts)) {
    example(`a payload with ${what} reaches the worker and the reader unchanged`, async (stage) => {
      const lane = await stage.begin();
      await stage.submit(aTask({ lane, payload: text }), aTask({ id: taskId(2), lane, payload: "2" }));
      const [claimed, next] = await stage.claims([lane], { limit: 2 }, now);
      assert.equal(claimed?.payload, text);
      assert.equal(next?.payload, "2");
      assert.equal((await stage.task(taskId(1)))?.payload, text);
    });
  }

  example("results, errors, checkpoints, progress and reasons keep their odd texts, in one batch", async (stage) => {
    const lane = await stage.begin();
    const texts = Object.values(oddTexts).filter((text) => text.length < 1_000);
    const moves: ((text: string) => Move[])[] = [
      (text) => [start, { type: "complete", result: text, note: text }],
      (text) => [{ type: "fail", error: { message: text, code: text, details: text } }],
      (text) => [{ type: "release", reason: text, checkpoint: text }],
      (text) => [start, { type: "progress", progress: { current: 1, total: 2, message: text } }],
      (text) => [{ type: "cancel", reason: text }],
    ];
    const cases = texts.flatMap((text) => moves.map((make) => make(text)));
    await stage.submit(...cases.map((_, n) => aTask({ id: taskId(n), lane })));
    const claimed = await stage.claims([lane], { limit: cases.length }, now);
    const writes = claimed.map((task, n) => aWrite(task, cases[n] as Move[], now));
    const { written } = await stage.store.exchange(writes, [], now);
    assert.deepEqual(new Set(written), new Set([true]));
    const histories = await stage.store.read("histories", { after: null, limit: 1_000 });
    for (const [n, { task, events }] of histories.entries()) {
      assert.deepStrictEqual(task.row, writes[n]?.next);
      assert.deepStrictEqual(task.outcome, writes[n]?.outcome);
      assert.deepStrictEqual(events.slice(2), writes[n]?.events);
    }
  });

  example("lines beside the machine, keys and outbox items keep their odd texts", async (stage) => {
    const lane = await stage.begin();
    const texts = Object.values(oddTexts).filter((text) => text.length < 1_000);
    await stage.submit(
      ...texts.map((text, n) => aTask({ id: taskId(n), lane, room: text, submitter: text, logs: text })),
    );
    const logs = texts.map((text) => aLogLine({ message: text, level: text, event: text, fields: text }));
    const workerEvents = texts.map((text) => aWorkerEvent({ type: text, data: text }));
    const refusals = texts.map((text, n) => aRefusal({ task: taskId(n), data: text }));
    await stage.store.append({ logs, workerEvents, refusals });
    assert.deepStrictEqual((await stage.store.read("logs", { task: taskId(1), ...all })).items, logs);
    const said = await stage.store.read("workerEvents", { worker: workerId(1), ...all });
    assert.deepStrictEqual(said.items, workerEvents);
    for (const [n, text] of texts.entries()) {
      const key = aKey({ scope: text, key: text, bodyHash: text, answer: text });
      const item = anOutboxItem({ id: taskId(n), kind: text, key: text, data: text });
      await stage.store.submit([aCall({ key, outbox: [item] })]);
      assert.deepStrictEqual(await stage.store.read("key", { scope: text, key: text }), key);
      assert.deepStrictEqual(await stage.store.find("outbox", { kind: text, limit: 9 }), [item]);
      const { refusals: kept } = await stage.store.read("events", { task: taskId(n), ...all });
      assert.deepStrictEqual(kept, [{ ...refusals[n], times: 1 }]);
      const task = await stage.task(taskId(n));
      assert.deepEqual([task?.card.room, task?.card.submitter, task?.card.logs], [text, text, text]);
      const { total } = await stage.store.read("taskList", { rooms: [text], ...all });
      assert.equal(total, 1);
    }
  });
}
