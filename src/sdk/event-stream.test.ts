import assert from "node:assert/strict";
import { test } from "node:test";
import { serverEvents } from "./event-stream.ts";

async function read(...chunks: readonly Uint8Array[]) {
  async function* source() {
    yield* chunks;
  }
  const events = [];
  for await (const event of serverEvents(source())) events.push(event);
  return events;
}

const bytes = (text: string) => new TextEncoder().encode(text);

test("events are read whole, wherever the bytes were cut", async () => {
  const text = bytes(
    'id: 1\nevent: task\ndata: {"é":1}\n\n: still\n\nevent: task\r\ndata: a\r\ndata: b\r\n\r\nevent: task\ndata: half',
  );
  const expected = [{ id: "1", event: "task", data: '{"é":1}' }, "still", { id: null, event: "task", data: "a\nb" }];
  assert.deepEqual(await read(text), expected);
  assert.deepEqual(await read(...[...text].map((byte) => Uint8Array.of(byte))), expected);
});
