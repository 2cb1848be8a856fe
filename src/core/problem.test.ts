import assert from "node:assert/strict";
import { test } from "node:test";
import { badField, Problem, type ProblemCode, problems } from "./problem.ts";

test("a problem has the status and the retry advice of its row in the table", () => {
  for (const code of Object.keys(problems) as ProblemCode[]) {
    const problem = new Problem(code, "detail");
    assert.deepEqual([problem.status, problem.retry], [problems[code].status, problems[code].retry]);
    assert(problem.status >= 400 && problem.status < 600);
  }
});

test("a problem's body is RFC 9457, with the bad fields only where there are some", () => {
  assert.deepEqual(new Problem("lease-lost", "Gone").toBody(), {
    ...{ type: "/v1/problems/lease-lost", title: "Conflict", status: 409, detail: "Gone" },
  });
  const errors = [{ pointer: "/a", detail: "is bad" }];
  assert.deepEqual(new Problem("invalid-request", "Bad", { errors }).toBody().errors, errors);
});

test("a problem is an error that keeps its cause", () => {
  const cause = new Error("disk");
  const problem = new Problem("store-full", "Full", { cause });
  assert(problem instanceof Error);
  assert.deepEqual([problem.name, problem.message, problem.cause], ["Problem", "Full", cause]);
  assert.equal("cause" in new Problem("store-full", "Full"), false);
});

test("a bad field is named by its pointer, the whole request by its name", () => {
  assert.deepEqual(badField("/limit", "is not a number").toBody(), {
    ...{ type: "/v1/problems/invalid-request", title: "Unprocessable Content", status: 422 },
    detail: "/limit is not a number",
    errors: [{ pointer: "/limit", detail: "is not a number" }],
  });
  assert.equal(badField("", "is empty").message, "The request is empty");
});

test("what a retry may help is what is about the server or the moment, never about the request", () => {
  const helped = (Object.keys(problems) as ProblemCode[]).filter((code) => problems[code].retry);
  for (const code of helped) assert(problems[code].status === 429 || problems[code].status >= 500, code);
});
