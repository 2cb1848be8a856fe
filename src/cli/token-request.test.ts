import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenRequest } from "./token-request.ts";
import { UsageError } from "./usage-error.ts";

const now = 1_000;

test("flags become a request; what is left out is no limit", () => {
  assert.deepEqual(tokenRequest({ user: "ada" }, now), {
    ...{ user: "ada", role: "user", name: null, rooms: null, jobs: null, expiresAt: null },
  });
  const flags = {
    user: "ada",
    role: "viewer",
    name: "n",
    rooms: "a, b",
    jobs: '["@global:*","a,b:*"]',
    expires: "1.5h",
  };
  assert.deepEqual(tokenRequest(flags, now), {
    ...{ user: "ada", role: "viewer", name: "n", rooms: ["a", "b"], jobs: ["@global:*", "a,b:*"] },
    expiresAt: now + 5_400_000,
  });
});

test("a flag that makes no sense is named", () => {
  const bad: [Record<string, string>, RegExp][] = [
    [{}, /--user is missing/],
    [{ user: "ada", role: "Admin" }, /--role: "Admin" is not admin, user, viewer/],
    [{ user: "ada", rooms: "[a]" }, /--rooms/],
    [{ user: "ada", jobs: "[1]" }, /--jobs/],
    ...["90", "0s", "soon", "-1d", "90 days", "40000d"].map((expires): [Record<string, string>, RegExp] => [
      { user: "ada", expires },
      /--expires/,
    ]),
  ];
  for (const [flags, why] of bad) {
    assert.throws(
      () => tokenRequest(flags, now),
      (error) => error instanceof UsageError && why.test(error.message),
    );
  }
});
