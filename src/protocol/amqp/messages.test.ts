import assert from "node:assert/strict";
import { test } from "node:test";
import { operationMessage, taskMessage } from "../../core/messages.ts";
import { readOperationMessage, readTaskMessage } from "./messages.ts";

const id = "0190a5b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b";

test("a task's message is read as it was written", () => {
  assert.equal(taskMessage(id), `{"job_id":"${id}"}`);
  assert.deepEqual(readTaskMessage(Buffer.from(taskMessage(id))), { ok: true, message: id });
  assert.deepEqual(readTaskMessage(taskMessage(id.toUpperCase())), { ok: true, message: id });
});

test("an operation's message is read as it was written, with whose and which it is", () => {
  const text = operationMessage({ operation: "embed", parent: id, index: 7, payload: '{"batch":[1.50]}' });
  assert.equal(text, `{"operation":"embed","job_id":"${id}","index":7,"payload":{"batch":[1.50]}}`);
  const message = { operation: "embed", parent: id, index: 7, payload: { batch: [1.5] } };
  assert.deepEqual(readOperationMessage(Buffer.from(text)), { ok: true, message });
});

test("an operation's message may belong to nobody", () => {
  const text = operationMessage({ operation: "ping", payload: "{}" });
  assert.equal(text, '{"operation":"ping","payload":{}}');
  const message = { operation: "ping", parent: null, index: null, payload: {} };
  assert.deepEqual(readOperationMessage(text), { ok: true, message });
});

test("a parent that is no UUID counts as none, and the work goes on", () => {
  const read = readOperationMessage('{"operation":"ping","job_id":"seven","payload":{}}');
  assert.ok(read.ok && read.message.parent === null);
});

test("bodies that a client has parsed already are read too", () => {
  assert.deepEqual(readTaskMessage({ job_id: id }), { ok: true, message: id });
});

test("whatever a stranger sends to a queue of tasks is answered with what is wrong with it", () => {
  const deep = `{"job_id":"${id}","x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const bodies: [unknown, RegExp][] = [
    [Buffer.from("not JSON"), /^the body is not JSON/],
    [Buffer.from([0xff, 0xfe, 0x00]), /^the body is not UTF-8/],
    [Buffer.alloc(0), /not JSON/],
    [Buffer.from(deep), /deep|nest/i],
    [Buffer.from("[]"), /not a JSON object/],
    [Buffer.from("null"), /not a JSON object/],
    [Buffer.from("{}"), /job_id/],
    [Buffer.from('{"job_id":7}'), /job_id/],
    [Buffer.from('{"job_id":"7"}'), /job_id/],
    [Buffer.from('{"job_id":{"__proto__":1}}'), /job_id/],
    [undefined, /not bytes/],
    [null, /not a JSON object/],
    [12n, /not bytes/],
  ];
  for (const [body, says] of bodies) {
    const read = readTaskMessage(body);
    assert.ok(!read.ok && says.test(read.fault), read.ok ? `${body} was read` : read.fault);
  }
});

test("an operation without a name, an object as payload, or a countable index is refused", () => {
  const bodies: [string, RegExp][] = [
    ['{"payload":{}}', /operation/],
    ['{"operation":"","payload":{}}', /operation/],
    ['{"operation":["ping"],"payload":{}}', /operation/],
    ['{"operation":"ping"}', /payload/],
    ['{"operation":"ping","payload":[]}', /payload/],
    ['{"operation":"ping","payload":"{}"}', /payload/],
    ['{"operation":"ping","payload":{},"index":-1}', /index/],
    ['{"operation":"ping","payload":{},"index":1.5}', /index/],
    ['{"operation":"ping","payload":{},"index":"1"}', /index/],
    ['{"operation":"ping","payload":{},"index":2147483648}', /index/],
  ];
  for (const [body, says] of bodies) {
    const read = readOperationMessage(body);
    assert.ok(!read.ok && says.test(read.fault), read.ok ? `${body} was read` : read.fault);
  }
});

test("a message that is too large is not even looked into", () => {
  const read = readTaskMessage(taskMessage(id), { bytesMax: 10, depthMax: 8 });
  assert.ok(!read.ok && /at most 10 are read/.test(read.fault));
});
