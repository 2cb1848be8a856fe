// Rows 5 and 7 of the documents' table: jobs are registered and read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { expectBadFields, expectProblem } from "./expect-problem.ts";
import { type Caller, restScene } from "./scene.ts";

const scene = await restScene();
const { admin, stranger } = scene;
const [ada, bob] = await Promise.all([scene.caller("ada"), scene.caller("bob")]);
const unknown = "01890000-0000-7000-8000-000000000000";
const schema = { type: "object", properties: { angle: { type: "number" } } };

function register(caller: Caller, room: string, name: string, more: object = {}) {
  return caller.put(`/rooms/${room}/jobs`, { category: "modifiers", name, ...more });
}

/** How many workers and jobs there are. */
async function counts(): Promise<[number, number]> {
  const [workers, jobs] = await Promise.all([ada.get("/workers?limit=0"), ada.get("/jobs?limit=0")]);
  return [workers.body.total, jobs.body.total];
}

test("a new job is answered with all it is, and with the worker that came with it", async () => {
  const made = await register(ada, "lab", "Rotate", { schema });
  assert.equal(made.status, 201);
  const { id, worker_id, created_at, checksum, ...rest } = made.body;
  assert.deepEqual(rest, {
    ...{ room_id: "lab", category: "modifiers", name: "Rotate", full_name: "lab:modifiers:Rotate", schema },
    ...{ workers: [worker_id], output: null, queue: null, labels: null, policy: null, push: null, pause: null },
  });
  const read = await bob.get("/rooms/lab/jobs/lab:modifiers:Rotate");
  assert.equal(read.status, 200);
  assert.deepEqual(read.body, { ...made.body, worker_id: null });
  assert.equal((await ada.get(`/workers/${worker_id}`)).body.job_count, 1);
});

test("an equal schema joins the job, another is a conflict and changes nothing", async () => {
  const first = (await register(ada, "equal", "Turn", { schema: { a: 1, b: { c: [1.0] } } })).body;
  const again = await register(bob, "equal", "Turn", { schema: { b: { c: [1] }, a: 1 } });
  assert.equal(again.status, 200);
  assert.equal(again.body.id, first.id);
  assert.notEqual(again.body.worker_id, first.worker_id, "each registration without a worker brings another");
  assert.deepEqual([...again.body.workers].sort(), [first.worker_id, again.body.worker_id].sort());
  const before = await counts();
  expectProblem(await register(bob, "equal", "Turn", { schema: { a: 2 } }), "schema-conflict");
  expectProblem(await register(bob, "equal", "Turn"), "schema-conflict");
  assert.deepEqual(await counts(), before);
  assert.deepEqual((await ada.get("/rooms/equal/jobs/equal:modifiers:Turn")).body.schema, { a: 1, b: { c: [1] } });
});

test("a worker of one's own is linked, as often as one likes; any other is unknown", async () => {
  const { id: worker_id } = (await ada.post("/workers")).body;
  const made = await register(ada, "own", "A", { worker_id });
  assert.deepEqual([made.status, made.body.worker_id, made.body.workers], [201, worker_id, [worker_id]]);
  const again = await register(ada, "own", "A", { worker_id: worker_id.toUpperCase() });
  assert.deepEqual([again.status, again.body.workers], [200, [worker_id]]);
  assert.equal((await register(ada, "own", "B", { worker_id: null })).status, 201);
  const before = await counts();
  expectProblem(await register(bob, "own", "A", { worker_id }), "worker-not-found");
  expectProblem(await register(admin, "own", "A", { worker_id }), "worker-not-found");
  expectProblem(await register(ada, "own", "New", { worker_id: unknown }), "worker-not-found");
  expectBadFields(await register(ada, "own", "New", { worker_id: "no-uuid" }), "/worker_id");
  assert.deepEqual(await counts(), before);
  await ada.delete(`/workers/${worker_id}`);
  expectProblem(await register(ada, "own", "New", { worker_id }), "worker-not-found");
});

test("the schema may be called schema_, as the real client does; schema wins, and the answer says schema", async () => {
  const made = await register(ada, "names", "Client", { schema_: schema });
  assert.deepEqual(made.body.schema, schema);
  assert.ok(!("schema_" in made.body));
  assert.deepEqual((await register(ada, "names", "Both", { schema: { a: 1 }, schema_: schema })).body.schema, { a: 1 });
  assert.deepEqual((await register(ada, "names", "None")).body.schema, {});
  assert.equal((await register(ada, "names", "More", { colour: "red", schema: { angle: 0 } })).status, 201);
});

test("fields that are wrong are named, all of them", async () => {
  const put = (body: unknown) => ada.put("/rooms/fields/jobs", body);
  expectBadFields(await put({}), "/category", "/name");
  expectBadFields(await put({ category: 1, name: null }), "/category", "/name");
  for (const bad of [null, [], "text", 1]) {
    expectBadFields(await put({ category: "modifiers", name: "A", schema: bad }), "/schema");
    expectBadFields(await put({ category: "modifiers", name: "A", schema_: bad }), "/schema_");
  }
  for (const body of ["[]", "null", '"text"']) expectBadFields(await put(body), "");
  for (const body of ["", "{", '{"category":}', "nonsense"]) expectProblem(await put(body), "invalid-request");
  expectProblem(await ada.put("/rooms/fields/jobs"), "invalid-request");
  assert.equal((await ada.get("/rooms/fields/jobs")).body.total, 0);
});

test("a schema that cannot work is refused when it is registered", async () => {
  expectProblem(await register(ada, "broken", "A", { schema: { type: "nonsense" } }), "invalid-request");
  expectProblem(await register(ada, "broken", "B", { schema: { pattern: "(" } }), "invalid-request");
  expectProblem(await ada.get("/rooms/broken/jobs/broken:modifiers:A"), "job-not-found");
});

test("of several faults the documents' order decides which is told", async () => {
  const [bad, good] = ["/rooms/bad@room/jobs", "/rooms/order/jobs"];
  expectProblem(await stranger.put(bad, "{"), "invalid-request");
  expectProblem(await stranger.put(bad, "{}"), "invalid-room-id", /invalid characters/);
  expectProblem(await stranger.put(good, "{}"), "unauthorized");
  expectBadFields(await ada.put("/rooms/@global/jobs", { category: "modifiers" }), "/name");
  const nonsense = { category: "nonsense", name: "X", worker_id: unknown };
  expectProblem(await ada.put("/rooms/@global/jobs", nonsense), "forbidden");
  expectProblem(await ada.put("/rooms/@internal/jobs", nonsense), "forbidden");
  expectProblem(await admin.put("/rooms/@global/jobs", nonsense), "invalid-category");
  await register(ada, "order", "X", { schema });
  expectProblem(await register(ada, "order", "X", { schema: {}, worker_id: unknown }), "schema-conflict");
  expectProblem(await register(ada, "order", "X", { schema, worker_id: unknown }), "worker-not-found");
});

test("a registration that is refused leaves neither a job nor a worker", async () => {
  await register(ada, "nothing", "X", { schema });
  const before = await counts();
  const refusals = [
    await register(ada, "@global", "Y"),
    await register(ada, "nothing", "Y", { category: "nonsense" }),
    await register(ada, "nothing", "X"),
    await register(ada, "nothing", "Y", { worker_id: unknown }),
    await register(ada, "no:thing", "Y"),
    await register(stranger, "nothing", "Y"),
    await register(ada, "nothing", "Y", { schema: null }),
    await register(ada, "nothing", "Y", { schema: { type: "nonsense" } }),
  ];
  assert.deepEqual(
    refusals.map(({ status }) => status),
    [403, 400, 409, 404, 400, 401, 422, 422],
  );
  assert.deepEqual(await counts(), before);
});

test("the two reserved rooms are a superuser's, and everyone sees their jobs", async () => {
  for (const room of ["@global", "@internal"]) {
    expectProblem(await register(ada, room, "Shared"), "forbidden");
    assert.equal((await register(admin, room, "Shared")).status, 201);
    assert.equal((await ada.get(`/rooms/any/jobs/${room}:modifiers:Shared`)).body.room_id, room);
  }
});

test("rooms have names without @ and colons, but for the two reserved ones", async () => {
  for (const room of ["@other", "a@b", "a:b", "@", ":", "@GLOBAL"]) {
    expectProblem(await register(ada, room, "X"), "invalid-room-id", /invalid characters/);
    for (const rest of ["/jobs", "/workers", "/tasks", "/jobs/lab:modifiers:X", "/jobs/lab:modifiers:X/tasks"]) {
      expectProblem(await ada.get(`/rooms/${room}${rest}`), "invalid-room-id", /invalid characters/);
    }
  }
  for (const room of ["a b", "ä/ö", "50%", "日本"]) {
    const path = encodeURIComponent(room);
    assert.equal((await register(ada, path, "X")).body.room_id, room);
    assert.equal((await ada.get(`/rooms/${path}/jobs/${path}:modifiers:X`)).body.full_name, `${room}:modifiers:X`);
  }
});

test("categories are those of the settings and those of the other documents", async () => {
  for (const category of ["modifiers", "selections", "analysis", "operations"]) {
    assert.equal((await register(ada, "kinds", "X", { category })).status, 201);
  }
  for (const category of ["", "Modifiers", "other", "a:b"]) {
    expectProblem(await register(ada, "kinds", "X", { category }), "invalid-category");
  }
});

test("a job is read from any room's path, by its full name", async () => {
  await register(ada, "home", "X");
  assert.equal((await bob.get("/rooms/away/jobs/home:modifiers:X")).body.room_id, "home");
  expectProblem(await bob.get("/rooms/home/jobs/home:modifiers:Y"), "job-not-found");
  for (const name of ["X", "home:X", "home"]) {
    expectProblem(await bob.get(`/rooms/home/jobs/${name}`), "job-not-found", /Invalid job name format/);
    expectProblem(await bob.get(`/rooms/home/jobs/${name}/tasks`), "job-not-found", /Invalid job name format/);
  }
  expectProblem(await stranger.get("/rooms/home/jobs/home:modifiers:X"), "unauthorized");
});

test("a job's name is anything: empty, with colons, slashes, blanks and per cents", async () => {
  for (const name of ["", "a:b:c", "deep/er/still", " ", "50% off", "a%2Fb", "?#&", "ünï", "..", "x/../y"]) {
    const made = await register(ada, "odd", name);
    assert.equal(made.status, 201, name);
    const full = `odd:modifiers:${name}`;
    assert.equal(made.body.full_name, full);
    const read = await ada.get(`/rooms/odd/jobs/${encodeURIComponent(full)}`);
    assert.deepEqual([read.status, read.body.name], [200, name]);
    const tasks = await ada.get(`/rooms/odd/jobs/${encodeURIComponent(full)}/tasks`);
    assert.deepEqual([tasks.status, tasks.body.total], [200, 0], name);
  }
  expectBadFields(await register(ada, "odd", "x".repeat(256)), "/name");
  expectBadFields(await register(ada, "odd", "a\u0000b"), "/name");
});

test("names stand in paths raw or percent-encoded, and a name with slashes takes the rest of the path", async () => {
  await register(admin, "@global", "deep/er:still");
  for (const name of [
    "@global:modifiers:deep/er:still",
    "%40global%3Amodifiers%3Adeep/er%3Astill",
    "%40global:modifiers:deep%2Fer:still",
  ]) {
    for (const room of ["@global", "%40global", "lab"]) {
      assert.equal((await ada.get(`/rooms/${room}/jobs/${name}`)).body.name, "deep/er:still");
      assert.equal((await ada.get(`/rooms/${room}/jobs/${name}/tasks`)).body.total, 0);
    }
  }
  assert.equal((await register(admin, "%40global", "Encoded")).body.room_id, "@global");
});

test("a job whose name ends like a route below jobs is taken for that route", async () => {
  await register(ada, "suffix", "plain", { schema });
  await register(ada, "suffix", "plain/tasks");
  assert.ok("items" in (await ada.get("/rooms/suffix/jobs/suffix:modifiers:plain/tasks")).body);
  const read = await ada.get("/rooms/suffix/jobs/suffix:modifiers:plain/schema");
  assert.match(read.headers.get("content-type") ?? "", /^application\/schema\+json/);
  assert.deepEqual(read.body, schema);
  assert.ok("items" in (await ada.get("/rooms/suffix/jobs/suffix:modifiers:plain/tasks/tasks")).body);
});
