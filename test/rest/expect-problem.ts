import assert from "node:assert/strict";
import { type ProblemCode, problems } from "../../src/core/problem.ts";
import type { Reply } from "./scene.ts";

/** A refusal as RFC 9457 has it, with the status and title that the problem always has. */
export function expectProblem({ status, headers, body, text }: Reply, code: ProblemCode, detail?: RegExp): void {
  assert.equal(`${status} ${body.type}`, `${problems[code].status} /v1/problems/${code}`, text);
  assert.equal(headers.get("content-type"), "application/problem+json");
  assert.equal(body.status, status);
  assert.equal(body.title, problems[code].title);
  assert.equal(typeof body.detail, "string");
  assert.ok(!("instance" in body), "the instance is never named");
  assert.ok(!Object.values(body).includes(null), "what is null is left out");
  if (detail !== undefined) assert.match(body.detail, detail);
}

/** A 422 that names these fields. */
export function expectBadFields(reply: Reply, ...pointers: string[]): void {
  expectProblem(reply, "invalid-request");
  assert.deepEqual(
    reply.body.errors.map(({ pointer }: { pointer: string }) => pointer),
    pointers,
  );
}
