import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Namespace } from "socket.io";
import { manualClock } from "../../testing/manual-clock.ts";
import { recordedBus } from "../../testing/recorded-bus.ts";
import { topics } from "./topics.ts";

function scene() {
  const bus = recordedBus();
  const clock = manualClock();
  const adapter = Object.assign(new EventEmitter(), { rooms: new Map<string, Set<string>>() });
  const sent: string[] = [];
  const send = (room: string, news: readonly { readonly text: string }[]): void => {
    for (const { text } of news) sent.push(`${room} ${text}`);
  };
  const worker = (id: string, cancelled: (task: string) => void) =>
    bus.subscribe(`worker:${id}`, (message) => cancelled(message));
  const feed = (_: object, tell: (event: string) => void) => bus.subscribe("feed", tell);
  topics({ adapter } as unknown as Namespace, {
    bus,
    clock,
    desk: { worker, feed, follow: () => () => undefined },
    readers: { send, leave() {} },
  });
  const say = async (topic: string, message: string) => {
    bus.publish(topic, message);
    await turn();
    await turn();
    clock.advance(1);
  };
  return { bus, adapter, sent, say };
}

test("a room is listened to while someone is in it, and no longer", () => {
  const { bus, adapter } = scene();
  for (const room of ["room:lab", "jobs:a:b:c", "providers:a:b:c", "worker:w"]) {
    adapter.emit("create-room", room);
    assert.ok(bus.wanted(room), room);
    adapter.emit("delete-room", room);
    assert.ok(!bus.wanted(room), room);
  }
  adapter.emit("create-room", "feed:[null,null]");
  assert.ok(bus.wanted("feed"));
  adapter.emit("delete-room", "feed:[null,null]");
  assert.ok(!bus.wanted("feed"));
  adapter.emit("create-room", "task:a");
  assert.ok(!bus.wanted("task:a"), "only topics of this door can be joined");
});

test("a word on a task that comes after a newer one is not passed on", async () => {
  const { adapter, sent, say } = scene();
  adapter.emit("create-room", "room:lab");
  const word = (id: string, version: number) => JSON.stringify(["task_status_event", { id, version }]);
  for (const message of [
    word("a", 1),
    word("a", 3),
    word("a", 2),
    word("b", 1),
    word("a", 4),
    '["jobs_invalidate",{}]',
  ]) {
    await say("room:lab", message);
  }
  const expected = [word("a", 1), word("a", 3), word("b", 1), word("a", 4), '["jobs_invalidate",{}]'];
  assert.deepEqual(
    sent,
    expected.map((message) => `room:lab ${message}`),
  );
});

test("a worker is told at once what was cancelled", async () => {
  const { adapter, sent, say } = scene();
  adapter.emit("create-room", "worker:w");
  await say("worker:w", "t");
  assert.deepEqual(sent, ['worker:w ["task_cancel",{"task_id":"t","worker_id":"w"}]']);
});
