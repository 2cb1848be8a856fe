import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedLog } from "../../testing/recorded-log.ts";
import { ServerProblem } from "../problem.ts";
import type { RestReply } from "../rest-api.ts";
import type { SteadyApi } from "../steady-api.ts";
import { parents } from "./parents.ts";

const refused = { hidden: "task-not-found", forbidden: "forbidden" } as const;
type Answer = "running" | "failed" | keyof typeof refused;

/** A server that answers so to whoever reads the parent, and to whoever counts on it; asked anew after each second. */
function aServer(answers: { sight: Answer; count: Answer }) {
  let nowMs = 0;
  const asked: string[] = [];
  /** What an answer waits for. */
  const gates: Record<string, Promise<void>> = {};
  const api = {
    async request(method: string) {
      asked.push(method);
      await gates[method];
      const answer = answers[method === "GET" ? "sight" : "count"];
      if (answer in refused) {
        const type = `/v1/problems/${refused[answer as keyof typeof refused]}`;
        throw new ServerProblem({ type, title: "", status: answer === "hidden" ? 404 : 403 });
      }
      return { body: { status: answer } } as RestReply<never>;
    },
  } as SteadyApi;
  const log = recordedLog();
  const kin = parents({ api, log, signal: new AbortController().signal, elapsed: () => nowMs });
  return {
    ...{ answers, asked, gates, log },
    count: () => kin.count("parent", { index: 0, status: "done" }),
    async standing() {
      nowMs += 1_000;
      return kin.standing("parent");
    },
  };
}

test("a parent that is hidden from who may count on it is open", async () => {
  const { standing, answers } = aServer({ sight: "hidden", count: "running" });
  assert.deepEqual([await standing(), await standing()], ["open", "open"]);
  answers.count = "failed";
  assert.equal(await standing(), "final");
});

test("a parent on which this consumer may not count is left alone from then on, until it is seen to end", async () => {
  const { standing, count, answers, log } = aServer({ sight: "running", count: "forbidden" });
  assert.equal(await standing(), "open");
  await assert.rejects(count(), ServerProblem);
  assert.deepEqual([await standing(), await standing()], ["forbidden", "forbidden"]);
  assert.equal(log.lines.length, 1);
  answers.sight = "failed";
  assert.equal(await standing(), "final");
});

test("who may count again is let", async () => {
  const { standing, answers } = aServer({ sight: "hidden", count: "forbidden" });
  assert.equal(await standing(), "forbidden");
  answers.count = "running";
  assert.equal(await standing(), "open");
});

test("a parent that neither sees is gone, and asked for no more", async () => {
  const { standing, asked } = aServer({ sight: "hidden", count: "hidden" });
  assert.deepEqual([await standing(), await standing()], ["gone", "gone"]);
  assert.deepEqual(asked, ["GET", "POST"]);
});

test("a parent that is in sight is read, which is no sign of life", async () => {
  const { standing, asked } = aServer({ sight: "running", count: "running" });
  for (let n = 0; n < 3; n += 1) await standing();
  assert.deepEqual(asked, ["GET", "GET", "GET"]);
});

test("what a count has heard is not forgotten for a look that began before it", async () => {
  const { standing, count, gates } = aServer({ sight: "running", count: "forbidden" });
  const { promise, resolve } = Promise.withResolvers<void>();
  gates["GET"] = promise;
  const looking = standing();
  await assert.rejects(count(), ServerProblem);
  resolve();
  assert.equal(await looking, "forbidden");
});
