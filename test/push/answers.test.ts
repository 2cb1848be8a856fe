import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { pushScene } from "./push-scene.ts";
import { inGroups, sends } from "./target.ts";

const scene = await pushScene();
const { admin, target, job, submit, taskWhen, history } = scene;

test("a task of a push job is sent to its URL, signed, and the answer is its result", async () => {
  const name = await job("Good", { push: { headers: { "X-Key": "hush" } } });
  target.answers("/Good", sends(200, '{"n":12345678901234567890}'));
  const id = await submit(name, '{"payload":{"big":98765432109876543210}}');
  const task = await taskWhen(id, "completed");
  assert.equal(task.attempt, 1);
  const { text } = await admin.get(`/tasks/${id}`);
  assert.ok(text.includes('{"n":12345678901234567890}'), "the result is the text it came in");
  const [{ headers, text: sent, body }] = target.at("/Good") as [(typeof target.received)[0]];
  assert.ok(sent.includes('"payload":{"big":98765432109876543210}'), "the payload is the text it came in");
  assert.deepEqual(
    { ...body.task, payload: null },
    {
      ...{ id, job: name, room: "lab", queue: "default", attempt: 1, priority: 0 },
      ...{ submitted_at: task.created_at, payload: null, checkpoint: null },
    },
  );
  assert.equal(body.callback_url, `${scene.url}/v1/tasks/${id}/callback?attempt=1`);
  assert.equal(headers["leadhand-task"], id);
  assert.equal(headers["leadhand-attempt"], "1");
  assert.equal(headers["idempotency-key"], `${id}-1`);
  assert.equal(headers["x-key"], "hush");
  const { secret } = (await admin.get(`/jobs/${name}/push-secret`)).body;
  const mac = createHmac("sha256", secret).update(`${headers["leadhand-timestamp"]}.${sent}`).digest("hex");
  assert.equal(headers["leadhand-signature"], `v1=${mac}`);
  assert.deepEqual(await history(id), ["submitted", "assigned", "completed"]);
});

test("a job's own secret signs its requests", async () => {
  const secret = "a secret of the target's own";
  const id = await submit(await job("Signed", { push: { secret } }));
  await taskWhen(id, "completed");
  const [{ headers, text }] = target.at("/Signed") as [(typeof target.received)[0]];
  const mac = createHmac("sha256", secret).update(`${headers["leadhand-timestamp"]}.${text}`).digest("hex");
  assert.equal(headers["leadhand-signature"], `v1=${mac}`);
});

const ends = {
  "an answer without a body is a success without a result": { status: 204, body: "", ends: { status: "completed" } },
  "an answer with 201 is a success": { status: 201, body: "[1]", ends: { status: "completed", result: [1] } },
  "an answer that is not JSON is a failure": {
    ...{ status: 200, body: "<html>", ends: { status: "failed", error_code: "invalid_result" } },
  },
  "a result that is not as the job says is a failure": {
    ...{ status: 200, body: '{"n":"one"}', ends: { status: "failed", error_code: "invalid_result" } },
  },
  "an answer longer than a result may be is a failure": {
    ...{ status: 200, body: `"${"x".repeat(1_100_000)}"`, ends: { status: "failed", error_code: "invalid_result" } },
  },
  "a refusal is a failure that is not tried again": {
    ...{ status: 422, body: "no such page", ends: { status: "failed", error_code: "push_rejected" } },
  },
  "a redirect is not followed, and is a failure": {
    ...{ status: 307, body: "", ends: { status: "failed", error_code: "push_rejected" } },
  },
};

test("what a target answers decides how the task ends", async (t) => {
  const output = { type: ["object", "array", "null"], properties: { n: { type: "number" } } };
  const policy = { retry: { maxAttempts: 5, baseMs: 1 } };
  await Promise.all(
    Object.entries(ends).map(([words, { status, body, ends: wanted }], index) =>
      t.test(words, async () => {
        const name = `Ends${index}`;
        target.answers(`/${name}`, sends(status, body, { location: `${target.url}/elsewhere` }));
        const task = await taskWhen(await submit(await job(name, { output, policy })), wanted.status);
        for (const [key, value] of Object.entries(wanted)) assert.deepEqual(task[key], value);
        assert.equal(target.at(`/${name}`).length, 1);
      }),
    ),
  );
  assert.equal(target.at("/elsewhere").length, 0);
});

test("of a refusal its status and the beginning of its text are kept", async () => {
  const name = await job("Refusing");
  target.answers("/Refusing", sends(403, `go away${".".repeat(5_000)}`));
  const { error_details: details } = await taskWhen(await submit(name), "failed");
  assert.equal(details.status, 403);
  assert.match(details.body, /^go away/);
  assert.equal(details.body.length, 1_000);
});

for (const [words, status, headers] of [
  ["a target that is broken for a moment", 500, {}],
  ["a target that is overrun", 429, {}],
  ["a function that failed with status 200, as Amazon Lambda says it", 200, { "x-amz-function-error": "Unhandled" }],
] as const) {
  test(`${words} is asked again by the job's policy`, async () => {
    const name = `Again${status}`;
    let asked = 0;
    target.answers(`/${name}`, (reply) => {
      asked += 1;
      sends(asked === 1 ? status : 200, "{}", asked === 1 ? headers : {})(reply);
    });
    const id = await submit(await job(name, { policy: { retry: { maxAttempts: 2, baseMs: 1 } } }));
    assert.equal((await taskWhen(id, "completed")).attempt, 2);
    assert.deepEqual(await history(id), ["submitted", "assigned", "retried", "assigned", "completed"]);
    const [first, second] = target.at(`/${name}`) as [(typeof target.received)[0], (typeof target.received)[0]];
    assert.notEqual(first.body.lease_token, second.body.lease_token);
    assert.notEqual(first.headers["idempotency-key"], second.headers["idempotency-key"]);
  });
}

test("without a policy for it nothing is tried again", async () => {
  const name = await job("Once");
  target.answers("/Once", sends(503));
  const task = await taskWhen(await submit(name), "failed");
  assert.equal(task.error_code, "push_failed");
  assert.equal(target.at("/Once").length, 1);
});

test("a target that says when to come again is asked then, and no failure is counted", async () => {
  const name = await job("Busy");
  target.answers("/Busy", (reply, { body }) => {
    if (body.task.attempt === 1) sends(503, "", { "retry-after": "1" })(reply);
    else sends(200)(reply);
  });
  const id = await submit(name);
  await taskWhen(id, "completed");
  assert.deepEqual(await history(id), ["submitted", "assigned", "released", "assigned", "completed"]);
});

test("a target that does not answer in time, or cannot be reached, has failed", async () => {
  const slow = await job("Slow", { push: { timeoutMs: 150 } });
  target.answers("/Slow", () => undefined);
  const away = await job("Away", { push: { url: "http://127.0.0.1:1/" } });
  const ids = [await submit(slow), await submit(away)] as const;
  assert.equal((await taskWhen(ids[0], "failed")).error_code, "push_timeout");
  assert.equal((await taskWhen(ids[1], "failed")).error_code, "push_failed");
  await until("the target sees that nobody waits", () => target.at("/Slow")[0]?.gone === true);
});

test("a cancel ends the request that is under way", async () => {
  const name = await job("Long");
  target.answers("/Long", () => undefined);
  const id = await submit(name);
  await until("the task is at its target", () => target.at("/Long").length === 1);
  await admin.post(`/tasks/${id}/cancel`);
  await until("the sender has hung up", () => target.at("/Long")[0]?.gone === true);
  assert.deepEqual(await history(id), ["submitted", "assigned", "cancelled"]);
});

test("a push job is nobody's to claim, whoever says that he serves it", async () => {
  const name = await job("Closed", { push: { url: `${target.url}/Closed`, maxConcurrent: 1 } });
  target.answers("/Closed", () => undefined);
  const [first, second] = [await submit(name), await submit(name)];
  const { body } = await admin.put("/rooms/@global/jobs", { category: "modifiers", name: "Closed" });
  assert.notEqual(body.worker_id, null);
  assert.equal(body.push.url, `${target.url}/Closed`, "a worker that registers leaves it a push job");
  const worker_id = body.worker_id;
  assert.equal((await admin.post("/tasks/claim", { worker_id })).body.task, null);
  assert.equal((await admin.post(`/tasks/${second}/claim`, { worker_id })).status, 409);
  for (const id of [first, second]) await admin.post(`/tasks/${id}/cancel`);
});

test("no more tasks are at a target at once than its job says", async () => {
  const name = await job("Narrow", { push: { maxConcurrent: 2 } });
  const groups = inGroups(2);
  target.answers("/Narrow", groups.answer);
  const tasks = Array.from({ length: 12 }, () => ({ job: name, payload: {} }));
  const { items } = (await admin.post("/rooms/lab/tasks", { tasks })).body;
  for (const { id } of items) await taskWhen(id, "completed");
  assert.equal(groups.most(), 2);
});

test("metrics count requests by what came of them", async () => {
  const { text } = await scene.send("GET", "/metrics", { token: admin.token });
  assert.match(text, /leadhand_pushes_total\{outcome="completed"\} [1-9]/);
  assert.match(text, /leadhand_push_seconds_count [1-9]/);
});
