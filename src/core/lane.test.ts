import assert from "node:assert/strict";
import { test } from "node:test";
import { aLaneKey } from "../testing/builders.ts";
import { type JobGate, laneText, mayServe, priorityMax, rankOf, type WorkerGate } from "./lane.ts";
import { profileNames } from "./liveness.ts";

const job: JobGate = { checksum: "c1", deleted: false, push: false };
const lane = aLaneKey({ job: "j" });

function worker(about: Partial<WorkerGate> = {}): WorkerGate {
  const everything = { queues: null, labels: {}, paused: false, draining: false };
  return { profile: "rest", jobs: new Map([["j", null]]), ...everything, ...about };
}

test("a worker serves the lanes of its jobs and no others", () => {
  assert.equal(mayServe(worker(), lane, job), true);
  assert.equal(mayServe(worker({ jobs: new Map([["other", null]]) }), lane, job), false);
  assert.equal(mayServe(worker({ jobs: new Map() }), lane, job), false);
});

test("a worker that is paused or draining is given nothing, and a push job is for no worker that is linked to it", () => {
  assert.equal(mayServe(worker({ paused: true }), lane, job), false);
  assert.equal(mayServe(worker({ draining: true }), lane, job), false);
  assert.equal(mayServe(worker(), lane, { ...job, push: true }), false);
});

test("what runs inside the server is for its own executors, and for nobody else who is linked to it", () => {
  const inside = "@internal:modifiers:Inside";
  const jobs = new Map([inside, "j"].map((name) => [name, null]));
  for (const profile of profileNames) {
    const isExecutor = profile === "internal";
    assert.equal(mayServe(worker({ profile, jobs }), aLaneKey({ job: inside }), job), isExecutor);
    const doesNothingElse = isExecutor || profile === "push";
    assert.equal(mayServe(worker({ profile, jobs }), lane, job), !doesNothingElse);
  }
});

test("push jobs are for the worker that sends them, linked or not, in any lane; and it does nothing else", () => {
  const push = { ...job, push: true };
  const picky = aLaneKey({ job: "j", queue: "gpu", labels: { zone: "eu" }, checksum: "c0" });
  for (const profile of profileNames) {
    const sends = profile === "push";
    for (const each of [lane, picky]) {
      assert.equal(mayServe(worker({ profile }), each, push), sends);
      assert.equal(mayServe(worker({ profile, jobs: new Map() }), each, push), sends);
    }
  }
  assert.equal(mayServe(worker({ profile: "push" }), lane, job), false);
  assert.equal(mayServe(worker({ profile: "push", paused: true }), lane, push), false);
});

test("a worker of some queues serves those, and one of all queues serves all", () => {
  const gpu = aLaneKey({ job: "j", queue: "gpu" });
  assert.equal(mayServe(worker({ queues: new Set(["gpu"]) }), gpu, job), true);
  assert.equal(mayServe(worker({ queues: new Set(["gpu"]) }), lane, job), false);
  assert.equal(mayServe(worker({ queues: new Set() }), lane, job), false);
  assert.equal(mayServe(worker({ queues: null }), gpu, job), true);
});

test("every label a lane asks for must be the worker's own; more labels do no harm", () => {
  const picky = aLaneKey({ job: "j", labels: { gpu: "a100", zone: "eu" } });
  assert.equal(mayServe(worker({ labels: { gpu: "a100", zone: "eu", more: "x" } }), picky, job), true);
  assert.equal(mayServe(worker({ labels: { gpu: "a100" } }), picky, job), false);
  assert.equal(mayServe(worker({ labels: { gpu: "h100", zone: "eu" } }), picky, job), false);
  assert.equal(mayServe(worker({ labels: { gpu: "x" } }), lane, job), true);
});

test("a worker that announced a checksum serves only what it announced", () => {
  const announced = (checksum: string | null) => worker({ jobs: new Map([["j", checksum]]) });
  const pinned = aLaneKey({ job: "j", checksum: "c0" });
  assert.equal(mayServe(announced("c1"), lane, job), true, "the job's status quo");
  assert.equal(mayServe(announced("c0"), lane, job), false);
  assert.equal(mayServe(announced("c0"), pinned, job), true, "the checksum the task was pinned to");
  assert.equal(mayServe(announced("c1"), pinned, job), false);
  assert.equal(mayServe(announced(null), lane, job), true, "one that announced none is trusted with any");
  assert.equal(mayServe(announced(null), pinned, job), true);
});

test("a lane is the same however its labels are ordered, and another when anything differs", () => {
  const text = laneText(aLaneKey({ labels: { a: "1", b: "2" } }));
  assert.equal(laneText(aLaneKey({ labels: { b: "2", a: "1" } })), text);
  const others = [
    aLaneKey({ labels: { a: "1" } }),
    aLaneKey({ labels: { a: "1", b: "3" } }),
    aLaneKey({ labels: { a: "1", b: "2" }, queue: "q" }),
    aLaneKey({ labels: { a: "1", b: "2" }, checksum: "c" }),
    aLaneKey({ labels: { a: "1", b: "2" }, job: "j" }),
  ];
  assert.equal(new Set([text, ...others.map(laneText)]).size, 6);
});

test("parts of a lane cannot run into each other", () => {
  const one = laneText(aLaneKey({ job: 'a","b', queue: "c" }));
  const other = laneText(aLaneKey({ job: "a", queue: 'b","c' }));
  assert.notEqual(one, other);
});

test("a higher priority has a lower rank, and no rank is minus zero", () => {
  assert.deepEqual([5, 0, -5, priorityMax].map(rankOf), [-5, 0, 5, -priorityMax]);
  assert(Object.is(rankOf(0), 0));
  assert(Object.is(rankOf(-0), 0));
});
