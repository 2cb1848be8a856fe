import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { CheckedDeferral } from "../deferral.ts";
import { Fail, RetryLater } from "../ending.ts";
import { type JobDefinition, job } from "../job.ts";
import { runHandler } from "../run-handler.ts";
import { stopWith, TaskAborted } from "../worker/task-aborted.ts";
import { isTransient, type Sessions, steadyJob, transientDelayMs } from "./sessions.ts";

const name = "@global:operations:count";
const facts = { id: "one", job: name, room: "@global", attempt: 1, payload: {} };

function aDatabase(faults: Partial<Record<"commit" | "rollback", Error>> = {}) {
  const said: string[] = [];
  let begun = 0;
  const close = (how: "commit" | "rollback") => (session: number) => {
    said.push(`${how} ${session}`);
    const fault = faults[how];
    if (fault !== undefined) throw fault;
  };
  const sessions: Sessions<number> = {
    async begin() {
      begun += 1;
      said.push(`begin ${begun}`);
      return begun;
    },
    commit: close("commit"),
    rollback: close("rollback"),
  };
  return { sessions, said };
}

async function run(
  definition: JobDefinition,
  sessions: Sessions<number> | undefined,
  { signal } = new AbortController(),
) {
  const waits: number[] = [];
  const deferrals: CheckedDeferral[] = [];
  const steady = steadyJob(definition, { sessions, wait: async (ms) => waits.push(ms) });
  const port = {
    ...{ progress() {}, log() {}, alert() {} },
    defer: (deferral: CheckedDeferral) => void deferrals.push(deferral),
  };
  return { outcome: await runHandler(steady, facts, port, signal), waits, deferrals };
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}

test("the session is begun before the handler and committed before the task completes", async () => {
  const { sessions, said } = aDatabase();
  const { outcome } = await run(
    job(name, {}, ({ session }) => void said.push(`handler ${session}`)),
    sessions,
  );
  assert.equal(outcome.type, "completed");
  assert.deepEqual(said, ["begin 1", "handler 1", "commit 1"]);
});

test("a handler that throws has its session rolled back, and fails with what it threw", async () => {
  const { sessions, said } = aDatabase({ rollback: new Error("gone") });
  const { outcome } = await run(
    job(name, {}, () => {
      throw new Error("bad input");
    }),
    sessions,
  );
  assert.ok(outcome.type === "failed" && outcome.message === "bad input");
  assert.deepEqual(said, ["begin 1", "rollback 1"]);
});

test("if the execute session fails to commit the job is failed, never left running, and never run twice", async () => {
  const { sessions, said } = aDatabase({ commit: coded("ECONNRESET") });
  let runs = 0;
  const { outcome } = await run(
    job(name, {}, () => {
      runs += 1;
    }),
    sessions,
  );
  assert.ok(outcome.type === "failed" && outcome.code === "SessionCommitFailed", JSON.stringify(outcome));
  assert.equal(runs, 1);
  assert.deepEqual(said, ["begin 1", "commit 1", "rollback 1"]);
});

test("transient failures are retried up to 3 times with exponential backoff, each in a session of its own", async () => {
  const { sessions, said } = aDatabase();
  let runs = 0;
  const { outcome, waits } = await run(
    job(name, {}, () => {
      runs += 1;
      if (runs < 3) throw coded(runs === 1 ? "40P01" : "ECONNRESET");
    }),
    sessions,
  );
  assert.equal(outcome.type, "completed");
  assert.deepEqual(said, ["begin 1", "rollback 1", "begin 2", "rollback 2", "begin 3", "commit 3"]);
  assert.equal(waits.length, 2);
  const [first = 0, second = 0] = waits;
  assert.ok(first >= 700 && first <= 1_300 && second >= 1_400 && second <= 2_600, `${waits}`);
});

test("after three attempts the job is failed; what is not transient is not retried", async () => {
  let runs = 0;
  const failing = (error: () => Error) =>
    job(name, {}, () => {
      runs += 1;
      throw error();
    });
  const spent = await run(
    failing(() => coded("40001")),
    undefined,
  );
  assert.ok(spent.outcome.type === "failed" && spent.outcome.code === "40001");
  assert.equal(runs, 3);
  runs = 0;
  await run(
    failing(() => new Error("no such protein")),
    undefined,
  );
  assert.equal(runs, 1);
});

test("a task that was cancelled or lost meanwhile has its session rolled back, though its handler ended well", async () => {
  for (const [why, ended] of [
    ["cancelled", "rollback 1"],
    ["lost", "rollback 1"],
    ["draining", "commit 1"],
  ] as const) {
    const { sessions, said } = aDatabase();
    const stopped = new AbortController();
    const { outcome } = await run(
      job(name, {}, () => stopped.abort(new TaskAborted(why))),
      sessions,
      stopped,
    );
    assert.deepEqual(said, ["begin 1", ended]);
    // A message is not counted then: it comes again.
    assert.equal(outcome.type, why === "draining" ? "completed" : "failed");
  }
});

test("a task that was given to others while its handler went on has its session rolled back", async () => {
  const { sessions, said } = aDatabase();
  const stopped = new AbortController();
  const handler = (): void => {
    stopWith(stopped, "draining");
    stopWith(stopped, "lost");
  };
  await run(job(name, {}, handler), sessions, stopped);
  assert.deepEqual(said, ["begin 1", "rollback 1"]);
});

test("a task that was lost while its session was awaited is left alone, and its session is rolled back", async () => {
  const { sessions, said } = aDatabase();
  const stopped = new AbortController();
  const slow = {
    ...sessions,
    async begin() {
      stopWith(stopped, "lost");
      return sessions.begin();
    },
  };
  await run(
    job(name, {}, () => void said.push("handler")),
    slow,
    stopped,
  );
  assert.deepEqual(said, ["begin 1", "rollback 1"]);
});

const takesNothing = {
  "~standard": { version: 1, vendor: "test", validate: () => ({ issues: [{ message: "no" }] }) },
} as const;

for (const [what, definition, ending] of [
  ["its result does not fit", job(name, { output: takesNothing }, () => 7), "invalid-output"],
  ["its result is no JSON", job(name, {}, () => 7n), "result-not-json"],
  ["its result is none that a server takes", job(name, {}, () => "a \u0000 b"), "result-refused"],
  ["its deferral is refused", job(name, {}, (task) => task.defer({ total: -1 })), "deferral-refused"],
  ["it asks to be tried later by what it answers", job(name, {}, () => new RetryLater(1_000)), "released"],
] as const) {
  test(`the session of a task is rolled back where ${what}`, async () => {
    const { sessions, said } = aDatabase();
    const { outcome } = await run(definition, sessions);
    assert.equal(outcome.type === "failed" ? outcome.code : outcome.type, ending);
    assert.deepEqual(said, ["begin 1", "rollback 1"]);
  });
}

test("what wraps something transient is transient, unless it says how the task fails", () => {
  const wrapped = (cause: unknown, times: number): unknown =>
    times === 0 ? cause : new Error("Failed query", { cause: wrapped(cause, times - 1) });
  assert.ok(isTransient(new TypeError("fetch failed", { cause: coded("ECONNRESET") })));
  for (const late of ["timeout exceeded when trying to connect", "Query read timeout"]) {
    assert.ok(isTransient(wrapped(new Error(late), 1)), `of pg: ${late}`);
  }
  assert.ok(isTransient(wrapped(coded("40P01"), 5)));
  assert.ok(!isTransient(wrapped(coded("40P01"), 6)));
  assert.ok(!isTransient(wrapped(coded("23505"), 2)));
  assert.ok(!isTransient(new Fail("No such protein", { cause: coded("ECONNRESET") })));
  const circle = new Error("round and round");
  circle.cause = circle;
  assert.ok(!isTransient(circle));
});

test("what a try that failed wanted to defer is forgotten with it", async () => {
  let runs = 0;
  const { deferrals } = await run(
    job(name, {}, (task) => {
      runs += 1;
      task.defer({ total: runs === 1 ? 9 : 1 });
      if (runs === 1) throw coded("40P01");
    }),
    undefined,
  );
  assert.deepEqual(
    deferrals.map(({ total }) => total),
    [1],
  );
});

test("what a try wanted to defer whose result could not be checked is forgotten too", async () => {
  const { sessions } = aDatabase();
  let checks = 0;
  const output = {
    "~standard": {
      ...{ version: 1, vendor: "test" },
      validate(value: unknown) {
        checks += 1;
        if (checks === 1) throw coded("ECONNRESET");
        return { value };
      },
    },
  } as const;
  let runs = 0;
  const definition = job(name, { output }, (task) => {
    runs += 1;
    if (runs === 1) task.defer({ total: 9 });
  });
  const { deferrals, outcome } = await run(definition, sessions);
  assert.deepEqual([outcome.type, runs, deferrals], ["completed", 2, []]);
});

test("deadlocks, serialisation failures, broken connections and timeouts are transient, and nothing else", () => {
  const states = ["40P01", "40001", "08006", "57P01"];
  for (const code of [...states, "ECONNRESET", "ECONNABORTED", "ETIMEDOUT"]) assert.ok(isTransient(coded(code)));
  const said = ["Connection terminated unexpectedly", "Client has encountered a connection error and is not queryable"];
  for (const words of said) assert.ok(isTransient(new Error(words)));
  assert.ok(isTransient(AbortSignal.timeout(0).reason ?? new DOMException("late", "TimeoutError")));
  for (const code of ["23505", "ENOENT"]) assert.ok(!isTransient(coded(code)));
  assert.ok(!isTransient("40P01"));
  assert.equal(transientDelayMs(1, 0.5), 1_000);
  assert.equal(transientDelayMs(9, 0.5), 10_000);
});

test("a rollback that is never answered keeps no task running", async (t) => {
  t.after(() => mock.timers.reset());
  mock.timers.enable({ apis: ["setTimeout"] });
  const { sessions } = aDatabase();
  const silent = { ...sessions, rollback: () => new Promise(() => undefined) };
  let failure = "none yet";
  void run(
    job(name, {}, () => {
      throw new Error("bad input");
    }),
    silent,
  ).then(({ outcome }) => (failure = outcome.type === "failed" ? outcome.message : outcome.type));
  await turn();
  assert.equal(failure, "none yet");
  mock.timers.tick(10_000);
  await turn();
  assert.equal(failure, "bad input");
});
