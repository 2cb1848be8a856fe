import assert from "node:assert/strict";
import { test } from "node:test";
import { fleetRouteList } from "../../src/protocol/fleet/routes.ts";
import { aJob, aWorker, block, fleetScene, hour, jobOf, minute, pingId, poll, second, stateOf } from "./scene.ts";

/** Endpoint, method and description, as the document lists them. */
const reference = [
  "/workers/register POST Register a new worker",
  "/workers/:uuid/ping POST Send heartbeat",
  "/workers/:uuid/unregister POST Graceful shutdown",
  "/workers GET List all workers (add ?findDeleted=true for soft-deleted)",
  "/workers/online GET List online workers only",
  "/workers/:uuid GET Worker details",
  "/workers/:uuid/function-blocks GET Worker's registered FBs",
  "/workers/:uuid/jobs GET Worker's jobs (filter with ?status=polled)",
  "/workers/:uuid DELETE Delete a worker",
  "/workers/cleanup POST Manual cleanup (offline > 24h)",
  "/workers/cleanup-offline POST Manual cleanup (all currently offline)",
];

for (const line of reference) {
  test(`“${line}”`, async () => {
    await using scene = await fleetScene();
    const [path = "", method = ""] = line.split(" ");
    const uuid = await aWorker(scene.owner);
    const url = path.replace(":uuid", uuid);
    const who = path.includes("cleanup") ? scene.admin : scene.owner;
    const answer = await (method === "GET" ? who.get(url) : method === "POST" ? who.post(url) : who.delete(url));
    assert.ok(answer.status >= 200 && answer.status < 300, `${answer.status} ${JSON.stringify(answer.body)}`);
    assert.ok(fleetRouteList.some((spec) => spec.method === method && spec.path === path.replace(":uuid", "{uuid}")));
    const stranger = await fetch(scene.url + url, { method });
    assert.equal(stranger.status, 401, "nobody asks without a token");
    if (!path.includes(":uuid")) return;
    const none = path.replace(":uuid", "no-uuid");
    const missing = await (method === "GET" ? who.get(none) : method === "POST" ? who.post(none) : who.delete(none));
    assert.equal(missing.status, 404, "a bad UUID is no worker");
  });
}

test("“List all workers (add ?findDeleted=true for soft-deleted)”: the flag adds them; “List online workers only”", async () => {
  await using scene = await fleetScene();
  const [online, unreachable, offline, deleted] = [
    await aWorker(scene.owner),
    await aWorker(scene.owner),
    await aWorker(scene.owner),
    await aWorker(scene.owner),
  ];
  await scene.owner.post(`/workers/${offline}/unregister`);
  await scene.owner.delete(`/workers/${deleted}`);
  await scene.pass(2 * minute);
  await scene.owner.post(`/workers/${online}/ping`);
  const states = async (path: string) => {
    const { body } = await scene.owner.get(path);
    return new Map(body.map((worker: { uuid: string; state: string }) => [worker.uuid, worker.state]));
  };
  const known = [
    [online, "ONLINE"],
    [unreachable, "UNREACHABLE"],
    [offline, "OFFLINE"],
  ] as const;
  assert.deepEqual(await states("/workers"), new Map([...known].reverse()));
  assert.deepEqual(await states("/workers?findDeleted=true"), new Map([[deleted, "DELETED"], ...[...known].reverse()]));
  assert.deepEqual(await states("/workers/online"), new Map([[online, "ONLINE"]]));
});

test("“Worker's jobs (filter with ?status=polled)”, and 400 for a status that there is none of", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const jobs = [await aJob(scene.owner), await aJob(scene.owner), await aJob(scene.owner)];
  const [good, bad, held] = jobs;
  await poll(scene.owner, uuid, 3);
  const push = (jobId: string | undefined, words: object) =>
    scene.owner.post("/blackboard/job/result", { workerUuid: uuid, jobId, ...words });
  assert.deepEqual((await push(good, { success: true, resultData: { n: 1 } })).body, { jobId: good, status: "pushed" });
  await push(bad, { success: false, error: { code: "NO_ROUTE", message: "no route" } });
  const ids = async (query: string) =>
    (await scene.owner.get(`/workers/${uuid}/jobs${query}`)).body.map(({ id }: { id: string }) => id);
  assert.deepEqual(await ids(""), [...jobs].reverse());
  assert.deepEqual(await ids("?status=polled"), [held]);
  assert.deepEqual(await ids("?status=pushed"), [bad, good]);
  assert.deepEqual(await ids("?status=failed"), []);
  const { status, body } = await scene.owner.get(`/workers/${uuid}/jobs?status=running`);
  assert.deepEqual([status, body.type], [400, "/v1/problems/invalid-status"]);
  assert.equal((await scene.owner.get("/blackboard/jobs?status=nonsense")).status, 400);
  const shown = await jobOf(scene.owner, bad as string);
  const error = { code: "NO_ROUTE", message: "no route" };
  assert.deepEqual([shown.status, shown.result], ["pushed", { success: false, data: null, error }]);
});

test("“Delete a worker”: its jobs fail with WORKER_DELETED, by either path, for its owner and superusers alone", async () => {
  await using scene = await fleetScene();
  const other = await scene.caller("eve");
  for (const [path, who] of [
    ["/workers", scene.owner],
    ["/v1/workers", scene.admin],
  ] as const) {
    const uuid = await aWorker(scene.owner);
    const id = await aJob(scene.owner);
    await poll(scene.owner, uuid);
    assert.equal((await other.delete(`${path}/${uuid}`)).status, 403);
    assert.equal((await who.delete(`${path}/${uuid}`)).status, 204);
    assert.equal((await who.delete(`/workers/${uuid}`)).status, 404);
    const { status, failureReason } = await jobOf(scene.owner, id);
    assert.deepEqual([status, failureReason], ["failed", "WORKER_DELETED"]);
    assert.equal(await stateOf(scene.owner, uuid), "DELETED");
    assert.equal((await scene.owner.get(`/workers/${uuid}/jobs?findDeleted=true`)).body[0].id, id);
  }
  assert.equal((await scene.owner.post("/blackboard/jobs", { functionBlock: pingId, parameters: {} })).status, 201);
});

test("“Manual cleanup (offline > 24h)” and “Manual cleanup (all currently offline)”, for superusers, with a note", async () => {
  // The server itself would be faster with a shorter threshold; here it is kept from it.
  await using scene = await fleetScene({ LEADHAND_SWEEPER_INTERVAL_SECONDS: "864000" });
  const [old, young, alive] = [await aWorker(scene.owner), await aWorker(scene.owner), await aWorker(scene.owner)];
  await scene.owner.post(`/workers/${old}/unregister`);
  scene.clock.advance(23 * hour);
  await scene.pass(3 * minute);
  await scene.owner.post(`/workers/${young}/ping`);
  await scene.owner.post(`/workers/${young}/unregister`);
  scene.clock.advance(hour - 3 * minute);
  await scene.pass(second);
  await scene.owner.post(`/workers/${alive}/ping`);
  assert.equal((await scene.owner.post("/workers/cleanup")).status, 403);
  assert.equal((await scene.owner.post("/workers/cleanup-offline")).status, 403);
  const first = await scene.admin.post("/workers/cleanup", { note: "spring" });
  assert.deepEqual([first.status, first.body], [200, { deleted: 1, workers: [old] }]);
  assert.deepEqual((await scene.admin.post("/workers/cleanup")).body, { deleted: 0, workers: [] });
  const second_ = await scene.admin.post("/workers/cleanup-offline");
  assert.deepEqual(second_.body, { deleted: 1, workers: [young] });
  assert.deepEqual([await stateOf(scene.owner, old), await stateOf(scene.owner, young)], ["DELETED", "DELETED"]);
  assert.equal(await stateOf(scene.owner, alive), "ONLINE");
  const { items } = await scene.store.read("audit", { target: old, limit: 9, offset: 0 });
  assert.deepEqual(
    items.map(({ actor, action, note }) => [actor, action, note]),
    [["admin", "worker.delete", "spring"]],
  );
});

test("a worker that fell silent and was not noticed yet is cleaned up as offline, and what it held fails", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const id = await aJob(scene.owner);
  await poll(scene.owner, uuid);
  scene.clock.advance(7 * minute);
  assert.deepEqual((await scene.admin.post("/workers/cleanup-offline")).body, { deleted: 1, workers: [uuid] });
  assert.equal((await jobOf(scene.owner, id)).failureReason, "WORKER_OFFLINE");
});

test("ping, unregister, poll, push and blocks are for the worker's owner; reads are for any token, writes for no viewer", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const [other, viewer] = [await scene.caller("eve"), await scene.caller("ada", "viewer")];
  const id = await aJob(scene.owner);
  for (const who of [other, viewer]) {
    assert.equal((await who.post(`/workers/${uuid}/ping`)).status, 403);
    assert.equal((await who.post(`/workers/${uuid}/unregister`)).status, 403);
    assert.equal((await who.post("/blackboard/job", { workerUuid: uuid })).status, 403);
    const push = { workerUuid: uuid, jobId: id, success: true };
    assert.equal((await who.post("/blackboard/job/result", push)).status, 403);
    const blocks = { workerUuid: uuid, functionBlocks: [block()] };
    assert.equal((await who.post("/function-blocks/register", blocks)).status, 403);
    for (const path of [
      "/workers",
      "/workers/online",
      `/workers/${uuid}`,
      `/workers/${uuid}/jobs`,
      "/blackboard/jobs",
    ]) {
      assert.equal((await who.get(path)).status, 200, path);
    }
  }
  assert.equal((await viewer.post("/workers/register")).status, 403);
  const limited = await scene.caller("bob", "user", ["lab"]);
  const theirs = await aWorker(limited);
  assert.equal(
    (await limited.get(`/workers/${theirs}/function-blocks`)).body.length,
    1,
    "who may work registers blocks",
  );
});

test("literal segments win over a UUID, and other methods are named", async () => {
  await using scene = await fleetScene();
  const { status, headers } = await scene.owner.get("/workers/register");
  assert.deepEqual([status, headers.get("allow")], [405, "POST"]);
  assert.equal((await scene.owner.get("/workers/online")).body.length, 0);
  assert.deepEqual((await scene.owner.get("/health/")).body, { status: "ok" });
});

test("a path with a slash at its end is answered with the way to the one without it", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  for (const [method, path, query] of [
    ["GET", "/workers", "?findDeleted=true"],
    ["GET", "/workers/online", ""],
    ["POST", `/workers/${uuid}/ping`, ""],
    ["GET", "/blackboard/jobs", "?status=pending"],
    ["POST", "/function-blocks/register", ""],
  ] as const) {
    const answer = await fetch(`${scene.url}${path}/${query}`, { method, redirect: "manual" });
    assert.deepEqual([answer.status, answer.headers.get("location")], [307, path + query]);
  }
  assert.equal((await scene.owner.post(`/workers/${uuid}/ping/`, {})).status, 200, "the method stays");
  const elsewhere = await fetch(`${scene.url}//example.org/`, { redirect: "manual" });
  assert.equal(elsewhere.status, 404);
});

test("workers of every door are in the same list", async () => {
  await using scene = await fleetScene();
  const mine = await aWorker(scene.owner);
  const { id } = (await scene.owner.post("/v1/workers", {})).body;
  const listed = (await scene.owner.get("/workers")).body;
  assert.deepEqual(
    new Map(listed.map((worker: { uuid: string; profile: string }) => [worker.uuid, worker.profile])),
    new Map([
      [id, "rest"],
      [mine, "fleet"],
    ]),
  );
  assert.equal((await scene.owner.get("/v1/workers")).body.total, 2);
});
