import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { askedFor } from "../../dashboard/src/pages/fleet/asked.ts";
import { chosen, grouped, waysOf } from "../../dashboard/src/pages/fleet/groups.ts";
import {
  countStandings,
  marksOf,
  slotsOf,
  standings,
  toneOf,
  usageOf,
} from "../../dashboard/src/pages/fleet/standing.ts";
import type { Worker } from "../../dashboard/src/pages/fleet/worker.ts";

let made = 0;

function worker(change: Partial<Worker> = {}): Worker {
  made += 1;
  return {
    id: `01a1e4e6-6e27-7001-907f-${String(made).padStart(12, "0")}`,
    door: "work",
    profile: "work",
    state: "ONLINE",
    name: `press-${made}`,
    hostname: "alpha",
    os: null,
    version: "1.0.0",
    labels: {},
    capacity: 4,
    held: 0,
    ...{ paused: false, pause: null, draining: false, drain: null, concurrency_limit: null },
    status: { cpuPercent: null, ramBytes: null, loopLagMs: null },
    ...{ blocked_ms: null, deaf: false },
    seen_at: "2026-01-31T12:34:56.789Z",
    last_heartbeat: "2026-01-31T12:34:56.789Z",
    job_count: 0,
    may: { operate: true },
    ...change,
  };
}

const someWorker = fc
  .record({
    hostname: fc.constantFrom("alpha", "beta", "gamma", null),
    state: fc.constantFrom("ONLINE", "UNREACHABLE", "OFFLINE"),
    version: fc.constantFrom("1.0.0", "1.1.0", null),
    labels: fc.dictionary(fc.constantFrom("zone", "gpu"), fc.constantFrom("a", "b", "")),
    paused: fc.boolean(),
    draining: fc.boolean(),
  })
  .map((change) => worker(change as Partial<Worker>));

test("every worker that is shown is in one group and no other, whatever they are grouped by", () => {
  fc.assert(
    fc.property(fc.array(someWorker, { maxLength: 40 }), (workers) => {
      for (const by of [...waysOf(workers), "label:nobody-has-it", "nonsense"]) {
        const shown = grouped(workers, by).flatMap((group) => group.workers);
        assert.deepEqual(shown.map(({ id }) => id).sort(), workers.map(({ id }) => id).sort());
      }
    }),
  );
});

test("a group that can be drained by its label holds all who carry it and nobody else", () => {
  fc.assert(
    fc.property(fc.array(someWorker, { maxLength: 40 }), (workers) => {
      for (const { label, workers: members } of grouped(workers, "label:zone")) {
        if (label === null) continue;
        const carriers = workers.filter(({ labels }) => `zone=${labels.zone}` === label);
        assert.deepEqual(members, carriers);
      }
    }),
  );
});

test("machines with one worker each stand under one heading, the others under their own", () => {
  const workers = ["alpha", "alpha", "beta", "gamma"].map((hostname) => worker({ hostname }));
  const titles = grouped(workers, "host").map(({ title, workers: members }) => [title, members.length]);
  assert.deepEqual(titles, [
    ["alpha", 2],
    ["hosts with one worker", 2],
  ]);
});

test("those without the label they are grouped by come last and cannot be drained by it", () => {
  const workers = [worker(), worker({ labels: { zone: "b" } }), worker({ labels: { zone: "a" } })];
  assert.deepEqual(
    grouped(workers, "label:zone").map(({ title, label }) => [title, label]),
    [
      ["zone=a", "zone=a"],
      ["zone=b", "zone=b"],
      ["without zone", null],
    ],
  );
});

test("all words looked for have to be somewhere in what a worker says of itself", () => {
  const found = worker({ name: "Cell-7", labels: { zone: "a" } });
  const workers = [found, worker({ name: "cell-8", labels: { zone: "b" } })];
  assert.deepEqual(chosen(workers, { state: "", text: "  CELL zone=a " }), [found]);
  assert.deepEqual(chosen(workers, { state: "", text: "" }), workers);
  assert.deepEqual(chosen(workers, { state: "online", text: "cell-8 zone=a" }), []);
});

test("the figure beside a state is the number of workers that it filters", () => {
  fc.assert(
    fc.property(fc.array(someWorker, { maxLength: 40 }), (workers) => {
      const counts = countStandings(workers);
      for (const standing of standings) {
        assert.equal(chosen(workers, { state: standing, text: "" }).length, counts[standing]);
      }
    }),
  );
});

test("a worker may hold what it says or what it was resized to, whichever is less", () => {
  assert.equal(slotsOf(worker({ capacity: 8, concurrency_limit: 3 })), 3);
  assert.equal(slotsOf(worker({ capacity: 2, concurrency_limit: 3 })), 2);
  assert.equal(slotsOf(worker({ capacity: null, concurrency_limit: 3 })), 3);
  assert.equal(slotsOf(worker({ capacity: null })), null);
});

test("workers that are given up have no slots and hold nothing; those one hopes for do", () => {
  const workers = [
    worker({ held: 1 }),
    worker({ held: 1, state: "UNREACHABLE" }),
    worker({ held: 2, state: "OFFLINE" }),
  ];
  assert.deepEqual(usageOf(workers), { held: 2, slots: 8 });
});

test("a worker whose code does not let go of the processor is marked as blocked", () => {
  assert.deepEqual(marksOf(worker({ blocked_ms: 800, paused: true })), ["paused", "blocked"]);
  assert.deepEqual(marksOf(worker({ blocked_ms: 0 })), []);
});

test("a worker that gets nothing has not the dot of one that does", () => {
  assert.equal(toneOf(worker()), "completed");
  assert.equal(toneOf(worker({ paused: true })), "warning");
  assert.equal(toneOf(worker({ draining: true })), "running");
  assert.equal(toneOf(worker({ draining: true, paused: true })), "warning");
  assert.equal(toneOf(worker({ deaf: true, paused: true })), "failed");
  assert.equal(toneOf(worker({ state: "OFFLINE" })), "failed");
});

test("what the server can look for is asked of it: a state, and the first label", () => {
  const asked = (state: string, text: string) => askedFor({ state, text }).query;
  assert.deepEqual(asked("", ""), { limit: 500 });
  assert.deepEqual(asked("unreachable", "press"), { limit: 500, state: "UNREACHABLE" });
  assert.deepEqual(asked("paused", "press zone=a gpu=yes"), { limit: 500, label: "zone=a" });
  assert.deepEqual(asked("deleted", ""), { limit: 500, find_deleted: true, state: "DELETED" });
});
