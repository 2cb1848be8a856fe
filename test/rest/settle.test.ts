import assert from "node:assert/strict";
import { test } from "node:test";
import { restScene } from "./scene.ts";
import { type Body, history, lines, refused, the, workshop } from "./workshop.ts";

const scene = await restScene();
const { admin } = scene;
const worker = await scene.caller("worker");
const submitter = await scene.caller("submitter");
const other = await scene.caller("other");
const shop = await workshop(worker);
const nobodysId = "01993d6c-7a10-7000-8000-000000000000";

const states = ["pending", "claimed", "running", "completed", "failed", "cancelled"] as const;
type State = (typeof states)[number];

/** What the documents allow; that nobody is made to hold a task by a PATCH is ours. */
const legal: Record<State, readonly State[]> = {
  pending: ["cancelled"],
  claimed: ["running", "failed", "cancelled"],
  running: ["completed", "failed", "cancelled"],
  completed: [],
  failed: [],
  cancelled: [],
};

async function taskThatIs(state: State): Promise<Body> {
  if (state === "pending") return shop.submit();
  const task = state === "claimed" ? await shop.held() : await shop.running();
  if (state === "claimed" || state === "running") return task;
  the(200, await shop.owner.patch(`/tasks/${task.id}`, { status: state, lease_token: task.lease_token }));
  return task;
}

for (const from of states) {
  test(`the owner of the worker makes of a ${from} task what the documents allow, and nothing else`, async () => {
    for (const to of states) {
      const { id, lease_token } = await taskThatIs(from);
      const answer = await shop.owner.patch(`/tasks/${id}`, { status: to, ...(lease_token && { lease_token }) });
      if (from === "pending" && to !== "cancelled") refused(answer, 403, "forbidden");
      else if (legal[from].includes(to)) assert.equal(the(200, answer).status, to);
      else refused(answer, 409, "invalid-task-transition");
      if (from === "pending" && to !== "cancelled") the(200, await admin.post(`/tasks/${id}/cancel`));
    }
  });

  test(`a superuser makes of a ${from} task what the documents allow, and it is recorded who it was`, async () => {
    for (const to of states) {
      const { id } = await taskThatIs(from);
      const answer = await admin.patch(`/tasks/${id}`, { status: to });
      if (legal[from].includes(to)) {
        assert.equal(the(200, answer).status, to);
        const { items } = the(200, await admin.get(`/tasks/${id}/events`));
        assert.equal(items.at(-1).data.actor, "admin");
      } else {
        refused(answer, 409, "invalid-task-transition");
        if (from === "pending") the(200, await admin.post(`/tasks/${id}/cancel`));
      }
    }
  });
}

test("a claim notes the worker alone, a start and an end note their times", async () => {
  const claimed = await shop.held();
  assert.deepEqual(
    [claimed.status, claimed.worker_id, claimed.started_at, claimed.completed_at, claimed.queue_position],
    ["claimed", shop.worker, null, null, null],
  );
  const path = `/tasks/${claimed.id}`;
  const running = the(200, await shop.owner.patch(path, { status: "running" }));
  assert.match(running.started_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(running.completed_at, null);
  const completed = the(200, await shop.owner.patch(path, { status: "completed" }));
  assert.equal(completed.started_at, running.started_at);
  assert.ok(Date.parse(completed.completed_at) >= Date.parse(running.started_at));
  assert.equal(completed.worker_id, shop.worker);
});

test("an error is kept with every end and only with an end, and only when it says something", async () => {
  for (const status of ["completed", "failed", "cancelled"]) {
    for (const error of ["it broke", ""]) {
      const { id } = await shop.held();
      const started = the(200, await shop.owner.patch(`/tasks/${id}`, { status: "running", error: "too early" }));
      assert.equal(started.error, null);
      const ended = the(200, await shop.owner.patch(`/tasks/${id}`, { status, error }));
      assert.equal(ended.error, error === "" ? null : error, `${status} with '${error}'`);
      assert.equal(the(200, await shop.owner.get(`/tasks/${id}`)).error, ended.error);
    }
  }
});

test("a failure carries its code and details, a completion its result, as they were written", async () => {
  const failing = await shop.running();
  const words = '{"status":"failed","error":"no","error_code":"E7","error_details":{"line": 1.50}}';
  const failed = await shop.owner.patch(`/tasks/${failing.id}`, words);
  assert.deepEqual(
    [the(200, failed).error_code, failed.body.error_details, failed.body.result],
    ["E7", { line: 1.5 }, null],
  );
  assert.match(failed.text, /"error_details":\{"line": 1\.50\}/);
  const completing = await shop.running();
  const completed = await shop.owner.patch(
    `/tasks/${completing.id}`,
    '{"status":"completed","result":[12345678901234567890, null]}',
  );
  the(200, completed);
  assert.match(completed.text, /"result":\[12345678901234567890, null\]/);
});

test("whoever submitted a task may cancel it, whatever it is at, and may do nothing else to it", async () => {
  for (const state of ["pending", "claimed", "running"] as const) {
    const make = { pending: shop.submit, claimed: shop.held, running: shop.running }[state];
    const { id } = await make({}, submitter);
    for (const status of ["running", "completed", "failed"]) {
      refused(await submitter.patch(`/tasks/${id}`, { status }), 403, "forbidden");
    }
    const words = { status: "cancelled", error: "not needed" };
    const cancelled = the(200, await submitter.patch(`/tasks/${id}`, words));
    assert.deepEqual([cancelled.status, cancelled.error], ["cancelled", "not needed"]);
    assert.equal((await lines(admin, id, "cancelled"))[0].data.actor, "submitter");
  }
});

test("anyone else is forbidden, also on a final task, and nobody without a token is heard at all", async () => {
  const task = await shop.running({}, submitter);
  const everyone = states.filter((status) => status !== "pending");
  for (const status of everyone) {
    refused(await other.patch(`/tasks/${task.id}`, { status }), 403, "forbidden");
    refused(await scene.stranger.patch(`/tasks/${task.id}`, { status }), 401, "unauthorized");
  }
  the(200, await shop.owner.patch(`/tasks/${task.id}`, { status: "completed" }));
  refused(await other.patch(`/tasks/${task.id}`, { status: "cancelled" }), 403, "forbidden");
  assert.equal(the(200, await admin.get(`/tasks/${task.id}`)).status, "completed");
});

test("a token that may only read changes nothing, though its user submitted the task and owns the worker", async () => {
  const viewer = await scene.caller("worker", { role: "viewer" });
  const { id, lease_token } = await shop.running();
  for (const status of ["completed", "failed", "cancelled"]) {
    refused(await viewer.patch(`/tasks/${id}`, { status }), 403, "forbidden");
    refused(await viewer.patch(`/tasks/${id}`, { status, lease_token }), 403, "forbidden");
  }
  refused(await viewer.post(`/tasks/${id}/cancel`), 403, "forbidden");
  refused(await viewer.post(`/tasks/${id}/progress`, { current: 1 }), 403, "forbidden");
  refused(await viewer.post(`/tasks/${id}/logs`, { lines: [{ message: "x" }] }), 403, "forbidden");
  refused(await viewer.post(`/tasks/${id}/release`, {}), 403, "forbidden");
  refused(await viewer.post("/tasks/claim", { worker_id: shop.worker }), 403, "forbidden");
  refused(await viewer.post(shop.path, {}), 403, "forbidden");
  assert.equal(the(200, await viewer.get(`/tasks/${id}`)).status, "running");
  the(200, await shop.owner.patch(`/tasks/${id}`, { status: "completed" }));
  refused(await viewer.post(`/tasks/${id}/retry`), 403, "forbidden");
  refused(await viewer.delete(`/tasks/${id}`), 403, "forbidden");
});

test("a task that does not exist is not found, and what is no id or no status is refused by its field", async () => {
  refused(await admin.patch(`/tasks/${nobodysId}`, { status: "running" }), 404, "task-not-found");
  refused(await admin.patch("/tasks/seven", { status: "running" }), 422, "invalid-request");
  const { id } = await shop.submit();
  for (const body of [{}, { status: "done" }, { status: null }, { status: "running", error: 7 }, []]) {
    refused(await admin.patch(`/tasks/${id}`, body), 422, "invalid-request");
  }
  refused(await admin.patch(`/tasks/${id}`), 422, "invalid-request");
  assert.equal(the(200, await admin.patch(`/tasks/${id.toUpperCase()}`, { status: "cancelled", more: 1 })).id, id);
});

test("a second end is refused, though it comes under the same lease, and stands in the history", async () => {
  const { id, lease_token } = await shop.running();
  const complete = (result: number) => shop.owner.patch(`/tasks/${id}`, { status: "completed", result, lease_token });
  the(200, await complete(1));
  refused(await complete(2), 409, "invalid-task-transition");
  assert.equal(the(200, await admin.get(`/tasks/${id}`)).result, 1);
  assert.deepEqual(await history(admin, id), ["submitted", "claimed", "started", "completed", "result_refused"]);
  const [line] = await lines(admin, id, "result_refused");
  assert.deepEqual(
    [line.version, line.status, line.attempt, line.worker_id, line.times, line.data],
    [null, null, 1, shop.worker, 1, { move: "complete", code: "invalid-task-transition" }],
  );
});

test("of ends that arrive at once exactly one counts", async () => {
  const { id, lease_token } = await shop.running();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, result) =>
      shop.owner.patch(`/tasks/${id}`, { status: "completed", result, lease_token }),
    ),
  );
  const accepted = answers.filter(({ status }) => status === 200);
  assert.equal(accepted.length, 1);
  assert.equal(answers.filter(({ status }) => status === 409).length, 19);
  assert.equal(the(200, await admin.get(`/tasks/${id}`)).result, accepted[0]?.body.result);
});

test("results are held against the job's output schema; what does not fit leaves the task running", async () => {
  const output = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const strict = await workshop(shop.owner, { output });
  const { id, lease_token } = await strict.running();
  const say = (words: object) => shop.owner.patch(`/tasks/${id}`, { ...words, lease_token });
  const unfit = await say({ status: "completed", result: { n: "one" } });
  refused(unfit, 422, "invalid-request");
  assert.deepEqual(unfit.body.errors[0].pointer, "/result/n");
  refused(await say({ status: "completed" }), 422, "invalid-request");
  refused(await admin.patch(`/tasks/${id}`, { status: "completed", result: 1 }), 422, "invalid-request");
  assert.equal(the(200, await admin.get(`/tasks/${id}`)).status, "running");
  assert.deepEqual(the(200, await say({ status: "completed", result: { n: 1 } })).result, { n: 1 });
  refused(await say({ status: "completed", result: 7 }), 409, "invalid-task-transition");
});

test("a failure that says another attempt is no use is the end, whatever the policy would grant", async () => {
  const { owner, running } = await workshop(worker, { policy: { retry: { maxAttempts: 3, baseMs: 0 } } });
  for (const [retryable, status] of [
    [true, "pending"],
    [false, "failed"],
  ] as const) {
    const { id, lease_token } = await running();
    const after = the(
      200,
      await owner.patch(`/tasks/${id}`, { status: "failed", error: "no", retryable, lease_token }),
    );
    assert.equal(after.status, status);
    if (status === "pending") the(200, await admin.post(`/tasks/${id}/cancel`));
  }
});
