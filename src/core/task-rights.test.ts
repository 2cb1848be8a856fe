import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "./access.ts";
import { type HeldTask, taskRights } from "./task-rights.ts";

function someone(about: Partial<Principal> = {}): Principal {
  return { user: "ada", role: "user", rooms: null, jobs: null, token: null, ...about };
}

function aTask(about: Partial<HeldTask> = {}): HeldTask {
  return { submitter: "bob", room: "lab", job: "lab:modifiers:Rotate", holder: null, ...about };
}

/** The names of what he may do. */
function rights(who: Principal, task: HeldTask): readonly string[] {
  return Object.entries(taskRights(who, task)).flatMap(([right, has]) => (has ? [right] : []));
}

test("of a task of another one may only make a new one", () => {
  assert.deepEqual(rights(someone(), aTask()), ["retry"]);
  assert.deepEqual(rights(someone(), aTask({ holder: { owner: "bob" } })), ["retry"]);
  assert.deepEqual(
    rights(someone(), aTask({ submitter: null, holder: { owner: null } })),
    ["retry"],
    "of nobody's either",
  );
});

test("who submitted a task may cancel and delete it, and whose worker holds it may cancel it and take it away", () => {
  assert.deepEqual(rights(someone(), aTask({ submitter: "ada" })), ["cancel", "retry", "delete"]);
  assert.deepEqual(rights(someone(), aTask({ holder: { owner: "ada" } })), ["cancel", "retry", "evict"]);
});

test("a superuser may do everything, but take away what nobody holds", () => {
  const admin = someone({ role: "admin" });
  assert.deepEqual(rights(admin, aTask({ holder: { owner: null } })), ["cancel", "retry", "delete", "evict"]);
  assert.deepEqual(rights(admin, aTask()), ["cancel", "retry", "delete"]);
});

test("a viewer may do nothing to what is his own", () => {
  assert.deepEqual(rights(someone({ role: "viewer" }), aTask({ submitter: "ada", holder: { owner: "ada" } })), []);
});

test("a token for other rooms or other jobs is no submitter's", () => {
  const own = aTask({ submitter: "ada" });
  assert.deepEqual(rights(someone({ rooms: ["shop"] }), own), []);
  assert.deepEqual(rights(someone({ jobs: ["shop:*"] }), own), ["cancel", "delete"]);
});
