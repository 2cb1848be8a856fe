import assert from "node:assert/strict";
import { test } from "node:test";
import { restScene } from "./scene.ts";
import { type Body, refused, the, workshop } from "./workshop.ts";

const scene = await restScene();
const user = await scene.caller("user");

interface Message {
  readonly id: string;
  readonly event: string;
  readonly task: Body;
}

/** The messages of a stream, one after the other, read as a browser would. */
async function* messages(id: string, signal?: AbortSignal, query = "", token = user.token): AsyncGenerator<Message> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${scene.url}/v1/tasks/${id}/stream${query}`, { headers, ...(signal && { signal }) });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type") ?? "", /^text\/event-stream/);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  let text = "";
  for await (const chunk of (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      yield message(text.slice(0, end));
      text = text.slice(end + 2);
    }
  }
  assert.equal(text, "", "nothing is cut off");
}

function message(block: string): Message {
  const fields = new Map(block.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  assert.deepEqual([...fields.keys()], fields.get("event") === "log" ? ["event", "data"] : ["id", "event", "data"]);
  return {
    id: fields.get("id") as string,
    event: fields.get("event") as string,
    task: JSON.parse(fields.get("data") as string),
  };
}

async function next(stream: AsyncGenerator<Message>): Promise<Message> {
  const { value, done } = await stream.next();
  assert.equal(done, false, "the stream goes on");
  return value as Message;
}

test("a stream with logs tells each line when it comes, and all of them before the end", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit();
  const { lease_token } = await shop.claim();
  const say = async (...words: string[]) =>
    the(204, await user.post(`/tasks/${id}/logs`, { lines: words.map((message) => ({ message })), lease_token }));
  await say("one");
  const stream = messages(id, undefined, "?logs=true");
  const told = async () => {
    const { event, task } = await next(stream);
    return event === "log" ? [task.number, task.level, task.message] : task.status;
  };
  assert.deepEqual(await told(), [1, "info", "one"]);
  assert.equal(await told(), "claimed");
  await say("two", "three");
  assert.deepEqual(
    [await told(), await told()],
    [
      [2, "info", "two"],
      [3, "info", "three"],
    ],
  );
  const later = messages(id, undefined, "?logs_from=2");
  assert.equal((await next(later)).task.message, "three", "whoever has two lines gets the third");
  await later.return(undefined);
  the(200, await user.patch(`/tasks/${id}`, { status: "running", lease_token }));
  assert.equal(await told(), "running");
  await say("four");
  the(200, await user.patch(`/tasks/${id}`, { status: "completed", lease_token }));
  assert.deepEqual(await told(), [4, "info", "four"]);
  assert.equal(await told(), "completed");
  assert.equal((await stream.next()).done, true);
});

test("a stream tells the task as it is, then each time it moves, and ends when it is final", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit();
  const stream = messages(id);
  const first = await next(stream);
  assert.deepEqual([first.event, first.task.id, first.task.status], ["task", id, "pending"]);
  const { lease_token } = await shop.claim();
  assert.equal((await next(stream)).task.status, "claimed");
  the(200, await user.patch(`/tasks/${id}`, { status: "running", lease_token }));
  assert.equal((await next(stream)).task.status, "running");
  the(204, await user.post(`/tasks/${id}/progress`, { current: 1, lease_token }));
  assert.deepEqual((await next(stream)).task.progress, { current: 1, total: null, message: null });
  the(200, await user.patch(`/tasks/${id}`, { status: "completed", result: [1], lease_token }));
  const last = await next(stream);
  assert.deepEqual([last.task.status, last.task.result], ["completed", [1]]);
  assert.ok(Number(last.id) > Number(first.id));
  assert.equal((await stream.next()).done, true);
});

test("a stream of a final task tells it once and ends", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit();
  the(200, await user.post(`/tasks/${id}/cancel`));
  const stream = messages(id);
  assert.equal((await next(stream)).task.status, "cancelled");
  assert.equal((await stream.next()).done, true);
});

test("line breaks in payloads, results and errors do not break a stream", async () => {
  const shop = await workshop(user);
  const payload = '{"payload":\r\n{\n"text": "a\\nb\\r\\n\\ndata: x",\r"n": 1\n\n}}';
  const { id } = the(202, await user.post(shop.path, payload));
  const stream = messages(id);
  const text = "a\nb\r\n\ndata: x";
  assert.deepEqual((await next(stream)).task.payload, { text, n: 1 });
  const { lease_token } = await shop.claim();
  await next(stream);
  const failed = `{"status":"failed","error":"one\\ntwo","error_details":{\n\n"at":\r\n[1]},"lease_token":"${lease_token}"}`;
  the(200, await user.patch(`/tasks/${id}`, failed));
  const { task } = await next(stream);
  assert.deepEqual([task.error, task.error_details], ["one\ntwo", { at: [1] }]);
  assert.equal((await stream.next()).done, true);
});

test("whoever leaves a stream is missed by nobody: the task goes on", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit();
  const gone = new AbortController();
  const stream = messages(id, gone.signal);
  await next(stream);
  gone.abort();
  await assert.rejects(stream.next(), { name: "AbortError" });
  assert.equal((await shop.claim()).id, id);
});

test("a task that does not exist has no stream, and nobody without a token has one", async () => {
  const path = "/tasks/01993d6c-7a10-7000-8000-000000000000/stream";
  refused(await user.get(path), 404, "task-not-found");
  refused(await scene.stranger.get(path), 401, "unauthorized");
  refused(await user.get("/tasks/seven/stream"), 422, "invalid-request");
});

test("a stream ends with the token that asked for it, and tells nothing more", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit();
  const words = { user: "guest", role: "viewer", rooms: [shop.room] };
  const guest = the(201, await scene.admin.post("/tokens", words));
  const stream = messages(id, undefined, "", guest.token);
  assert.equal((await next(stream)).task.status, "pending");
  the(204, await scene.admin.delete(`/tokens/${guest.id}`));
  the(200, await user.patch(`/tasks/${id}`, { status: "cancelled" }));
  assert.equal((await stream.next()).done, true);
});
