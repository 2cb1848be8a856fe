// What the source document about the worker protocol says of job specs and their versions, sentence by sentence, by a
// worker that shares no code with ours.

import assert from "node:assert/strict";
import { test } from "node:test";
import { restScene } from "../rest/scene.ts";
import { anything, checksumOf, type Message, shop } from "./raw-worker.ts";

const scene = await restScene({ "work-heartbeat-interval": "100" });
const { spec, submit, hired, push, ada } = await shop(scene);

test("for a job specification to be available it must be explicitly registered", async () => {
  const { worker, welcome } = await hired(["never-registered"], { ready: 1 });
  assert.deepEqual([welcome.specs[0].accepted, welcome.specs[0].reason], [false, "unknown"]);
  const path = "/rooms/@global/tasks/@global:specs:never-registered";
  const refused = await ada.post(path, { payload: {} });
  assert.deepEqual([refused.status, refused.body.type], [404, "/v1/problems/job-not-found"]);
  assert.equal((await scene.admin.put("/specs/never-registered", { schema: anything })).status, 201);
  assert.deepEqual((await worker.hears("specs")).specs, [{ id: "never-registered", accepted: true }]);
  const job = await submit("never-registered");
  assert.equal((await worker.takes()).id, job);
});

test("with several versions of a worker running, one whose checksum is not that of the status quo is not assigned the job", async () => {
  const id = await spec();
  const newer = { required: ["pages"], type: "object" };
  const version = (schema: object) => ({ specs: [{ id, checksum: checksumOf(schema) }] });
  const old = await hired([], { ready: 9, ackedAssignment: 0 }, version(anything));
  const young = await hired([], { ready: 9, ackedAssignment: 0 }, version(newer));
  const { accepted, reason, checksum } = young.welcome.specs[0];
  assert.deepEqual([accepted, reason, checksum], [false, "checksum", checksumOf(anything)]);
  const before = await submit(id, { payload: { pages: 1 } });
  assert.equal((await old.worker.takes()).id, before);
  await push(id, { schema: newer });
  await young.worker.hears("specs");
  const after = await submit(id, { payload: { pages: 1 } });
  assert.equal((await young.worker.takes()).id, after);
  old.worker.beat({ ready: 9, ackedAssignment: 1 });
  assert.equal(old.worker.heard.filter(({ type }) => type === "assignment").length, 1);
});

test("this is not all or nothing: jobs for the matching specs of a worker are assigned", async () => {
  const [one, two] = [await spec(), await spec()];
  const specs = [
    { id: one, checksum: `sha256:${"0".repeat(64)}` },
    { id: two, checksum: checksumOf(anything) },
  ];
  const { worker, welcome } = await hired([], { ready: 5 }, { specs });
  assert.deepEqual(
    welcome.specs.map(({ accepted }: Message) => accepted),
    [false, true],
  );
  await submit(one);
  const job = await submit(two);
  assert.equal((await worker.takes()).id, job);
  await worker.hearsNothing();
});
