// How paths lead to routes: two prefixes, slashes, and what is answered where there is nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { routeList } from "../../src/protocol/rest/routes.ts";
import { expectProblem } from "./expect-problem.ts";
import { restScene } from "./scene.ts";

const scene = await restScene();
const { admin } = scene;
const { token } = admin;
const prefixes = ["/v1", "/v1/joblib"];
const unknown = "01890000-0000-7000-8000-000000000000";

/** A path that fits the route, for things that do not exist. */
function pathOf(path: string): string {
  return path
    .replace("{room_id}", "lab")
    .replace("{job_name+}", "lab:modifiers:Nothing")
    .replaceAll(/\{\w+_id\}/g, unknown);
}

function follow(path: string): Promise<Response> {
  return fetch(scene.url + path, { redirect: "manual", headers: { authorization: `Bearer ${token}` } });
}

test("every route is there below both prefixes, and is shut to whoever brings no token", async () => {
  for (const { method, path, body, open } of routeList) {
    // Signing in is for strangers, if they have something to show.
    const shown = open === true ? '{"token": "lh_"}' : "{}";
    const sent = body === undefined ? {} : { body: shown };
    for (const prefix of prefixes) {
      const refused = await scene.send(method, prefix + pathOf(path), sent);
      expectProblem(refused, "unauthorized");
      assert.equal(refused.headers.get("www-authenticate"), "Bearer");
    }
  }
});

test("what is made below one prefix is found below the other, and answers point to where they were asked", async () => {
  const body = JSON.stringify({ category: "modifiers", name: "X" });
  const made = await scene.send("PUT", "/v1/joblib/rooms/lab/jobs", { token, body });
  assert.equal(made.status, 201);
  for (const prefix of prefixes) {
    const read = await scene.send("GET", `${prefix}/rooms/lab/jobs/lab:modifiers:X`, { token });
    assert.equal(read.body.id, made.body.id);
    const task = await scene.send("POST", `${prefix}/rooms/lab/tasks/lab:modifiers:X`, { token, body: "{}" });
    assert.equal(task.headers.get("location"), `${prefix}/tasks/${task.body.id}`);
  }
});

test("a path with a slash at its end leads to the one without", async () => {
  for (const [path, bare] of [
    ["/v1/workers/", "/v1/workers"],
    ["/v1/joblib/workers/?limit=3", "/v1/joblib/workers?limit=3"],
    ["/v1/rooms/lab/tasks/", "/v1/rooms/lab/tasks"],
    ["/v1/rooms/lab/jobs/", "/v1/rooms/lab/jobs"],
    ["/v1/rooms/%40global/jobs/?limit=3", "/v1/rooms/%40global/jobs?limit=3"],
  ] as const) {
    const answer = await follow(path);
    assert.deepEqual([answer.status, answer.headers.get("location")], [307, bare]);
    assert.equal((await follow(bare)).status, 200);
  }
  const put = { method: "PUT", redirect: "manual", body: "{}" } as const;
  const moved = await fetch(`${scene.url}/v1/rooms/lab/jobs/`, put);
  assert.deepEqual([moved.status, moved.headers.get("location")], [307, "/v1/rooms/lab/jobs"]);
});

test("where there is nothing, a problem says so", async () => {
  for (const path of ["/v1", "/v1/nothing", "/v1/joblib/workers/a/b/c", "/v2/workers", "/nothing", "/v1/rooms/lab"]) {
    expectProblem(await scene.send("GET", path, { token }), "not-found");
  }
});

test("a method that a path does not have is refused with those it has", async () => {
  for (const [method, path, allowed] of [
    ["PUT", "/workers", ["GET", "HEAD", "POST"]],
    ["POST", `/workers/${unknown}`, ["DELETE", "GET", "HEAD", "PATCH"]],
    ["DELETE", "/rooms/lab/jobs", ["GET", "HEAD", "PUT"]],
    ["DELETE", "/rooms/lab/jobs/lab:modifiers:X", ["GET", "HEAD"]],
    ["POST", "/rooms/lab/jobs/lab:modifiers:X", ["GET", "HEAD"]],
    ["DELETE", "/jobs/lab:modifiers:X/pause", ["POST"]],
    ["POST", "/rooms/lab/workers", ["GET", "HEAD"]],
    ["PUT", "/rooms/lab/tasks", ["GET", "HEAD", "POST"]],
    ["PATCH", "/rooms", ["GET", "HEAD"]],
  ] as const) {
    for (const prefix of prefixes) {
      const refused = await scene.send(method, prefix + path, { token, body: "{}" });
      expectProblem(refused, "method-not-allowed");
      assert.deepEqual(refused.headers.get("allow")?.split(", ").sort(), allowed);
    }
  }
});

test("HEAD asks for no more than the headers", async () => {
  const head = await scene.send("HEAD", "/v1/workers", { token });
  assert.deepEqual([head.status, head.text], [200, ""]);
});

test("a body is read as JSON whatever the client calls it", async () => {
  for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded"]) {
    const options = { token, headers: { "content-type": type }, body: '{"category":"modifiers","name":"X"}' };
    assert.equal((await scene.send("PUT", "/v1/rooms/types/jobs", options)).status < 300, true, type);
  }
});

test("a path that cannot be read is the caller's fault", async () => {
  expectProblem(await scene.send("GET", "/v1/rooms/%zz/jobs", { token }), "invalid-request");
  expectProblem(await scene.send("GET", `/v1/rooms/${"x".repeat(5_000)}/jobs`, { token }), "invalid-request");
  expectProblem(await scene.send("GET", `/v1/rooms/${"x".repeat(300)}/jobs`, { token }), "invalid-request");
});
