import assert from "node:assert/strict";
import { test } from "node:test";
import { restScene } from "./scene.ts";
import { type Body, pointers, refused, the, workshop } from "./workshop.ts";

const scene = await restScene();
const user = await scene.caller("user");

test("a handler's events stand in the log with their fields, as they were written", async () => {
  const shop = await workshop(user);
  const { id } = await shop.running();
  const body = `{"lines":[{"event":"batch.stored","fields":{"rows": 1.50}},{"message":"plain"},
    {"level":"warn","event":"slow","message":"it drags"}]}`;
  the(204, await user.post(`/tasks/${id}/logs`, body));
  const { text, body: page } = await user.get(`/tasks/${id}/logs`);
  assert.deepEqual(
    page.items.map(({ level, message, event, fields }: Body) => [level, message, event, fields]),
    [
      ["info", "", "batch.stored", { rows: 1.5 }],
      ["info", "plain", undefined, undefined],
      ["warn", "it drags", "slow", {}],
    ],
  );
  assert.match(text, /"rows": 1\.50/);
});

test("a stream of a task's log has its events", async () => {
  const shop = await workshop(user);
  const { id, lease_token } = await shop.running();
  the(204, await user.post(`/tasks/${id}/logs`, '{"lines":[{"event":"a.b","fields":{\n"n":1}}]}'));
  the(200, await user.patch(`/tasks/${id}`, { status: "completed", lease_token }));
  const { text } = await user.get(`/tasks/${id}/stream?logs=true`);
  const log = text.split("\n").find((line) => line.startsWith("data: ") && line.includes('"number"')) as string;
  const { event, fields } = JSON.parse(log.slice("data: ".length));
  assert.deepEqual([event, fields], ["a.b", { n: 1 }]);
});

test("a line says something, and an event has a dotted name", async () => {
  const shop = await workshop(user);
  const { id } = await shop.running();
  const log = (line: object) => user.post(`/tasks/${id}/logs`, { lines: [line] });
  assert.deepEqual(pointers(await log({ level: "info" })), ["/lines/0/message"]);
  for (const event of ["", ".a", "a.", "a..b", "a b"]) refused(await log({ event }), 422, "invalid-request");
  refused(await log({ event: "a", fields: [1] }), 422, "invalid-request");
  the(204, await log({ event: "child_of.mine-1" }));
});
