import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { expectBadFields, expectProblem } from "./expect-problem.ts";
import { type Caller, restScene } from "./scene.ts";
import { the } from "./workshop.ts";

const scene = await restScene();
const { admin } = scene;
const ada = await scene.caller("ada");
const bob = await scene.caller("bob");
const vera = await scene.caller("vera", { role: "viewer" });
const lina = await scene.caller("lina", { rooms: ["attic"] });

const unknownId = "00000000-0000-7000-8000-000000000000";
let made = 0;

/** A new provider's name, and its registration. */
function words(more: object = {}) {
  made += 1;
  return { category: "files", name: `reader-${made}`, ...more };
}

async function register(by: Caller = ada, more: object = {}, room = "lab") {
  return the(201, await by.put(`/rooms/${room}/providers`, words(more)));
}

const names = async (by: Caller, path: string) =>
  the(200, await by.get(path)).items.map(({ full_name }: { full_name: string }) => full_name);

test("a provider is registered with a worker of its own, and looks as the documents say", async () => {
  const said = words({ schema: { path: "str" }, content_type: "text/plain" });
  const body = the(201, await ada.put("/rooms/lab/providers", said));
  const { id, worker_id, created_at, ...rest } = body;
  assert.deepEqual(rest, {
    ...{ room_id: "lab", category: "files", name: said.name, full_name: `lab:files:${said.name}` },
    schema: { path: "str" },
  });
  assert.match(created_at, /^\d{4}-.*\.\d{3}Z$/);
  const { id: worker } = the(200, await ada.get(`/workers/${worker_id}`));
  assert.equal(worker, worker_id);
  assert.deepEqual(the(200, await ada.get(`/rooms/lab/providers/${rest.full_name}/info`)), body);
  assert.match(id, /^[0-9a-f-]{36}$/);
});

test("a provider registered again keeps its id and gets the rest anew", async () => {
  const said = words({ schema_: { old: true } });
  const first = the(201, await ada.put("/rooms/lab/providers", said));
  assert.deepEqual(first.schema, { old: true }, "the real client's key");
  const worker_id = the(201, await ada.post("/workers")).id;
  const again = { ...said, schema: { new: true }, worker_id: worker_id.toUpperCase() };
  const second = the(200, await ada.put("/rooms/lab/providers", again));
  assert.deepEqual(second, { ...first, schema: { new: true }, worker_id });
});

test("another's provider is refused, a superuser takes it over, and then it is no longer its first owner's", async () => {
  const said = words();
  const { id } = the(201, await ada.put("/rooms/lab/providers", said));
  expectProblem(await bob.put("/rooms/lab/providers", said), "forbidden");
  assert.equal(the(200, await admin.put("/rooms/lab/providers", said)).id, id);
  expectProblem(await ada.put("/rooms/lab/providers", said), "forbidden");
  expectProblem(await ada.delete(`/providers/${id}`), "forbidden");
});

test("a registration is refused by what is wrong first: body, room, token, fields, rights, category, worker", async () => {
  const bad = { ...words({ category: "a:b" }), worker_id: unknownId };
  expectProblem(await scene.stranger.put("/rooms/a@b/providers", "{"), "invalid-request");
  expectProblem(await scene.stranger.put("/rooms/a@b/providers", bad), "invalid-room-id");
  expectProblem(await scene.stranger.put("/rooms/lab/providers", {}), "unauthorized");
  expectBadFields(await ada.put("/rooms/@global/providers", {}), "/category", "/name");
  expectBadFields(await ada.put("/rooms/@global/providers", { ...bad, content_type: "text" }), "/content_type");
  for (const room of ["@global", "@internal"]) {
    expectProblem(await ada.put(`/rooms/${room}/providers`, bad), "forbidden");
  }
  expectProblem(await vera.put("/rooms/lab/providers", bad), "forbidden");
  expectProblem(await lina.put("/rooms/lab/providers", bad), "forbidden");
  expectProblem(await ada.put("/rooms/lab/providers", bad), "invalid-category");
  expectProblem(await ada.put("/rooms/lab/providers", { ...bad, category: "x" }), "worker-not-found");
  const others = the(201, await bob.post("/workers")).id;
  expectProblem(await ada.put("/rooms/lab/providers", words({ worker_id: others })), "worker-not-found");
  expectBadFields(
    await ada.put("/rooms/lab/providers", words({ schema: null, worker_id: "x" })),
    "/schema",
    "/worker_id",
  );
  expectBadFields(await ada.put("/rooms/lab/providers", { category: "x", name: "n".repeat(300) }), "/name");
});

test("both reserved rooms need a superuser, who may", async () => {
  for (const room of ["@global", "@internal"]) {
    const { full_name } = await register(admin, {}, room);
    assert.match(full_name, new RegExp(`^${room}:files:`));
  }
});

test("a room lists its own providers and those of @global, newest first; @global its own alone", async () => {
  const own = [await register(ada, {}, "list"), await register(ada, {}, "list")].map(({ full_name }) => full_name);
  const global = (await register(admin, {}, "@global")).full_name;
  const internal = (await register(admin, {}, "@internal")).full_name;
  const seen = await names(ada, "/rooms/list/providers?limit=500");
  assert.deepEqual(seen.slice(0, 3), [global, own[1], own[0]]);
  assert.ok(!seen.includes(internal));
  const page = the(200, await ada.get("/rooms/list/providers?limit=1&offset=1"));
  assert.deepEqual([page.items[0].full_name, page.limit, page.offset], [own[1], 1, 1]);
  assert.equal(page.total, seen.length);
  assert.deepEqual(the(200, await ada.get("/rooms/list/providers?limit=0")).items, []);
  const ofGlobal = await names(ada, "/rooms/@global/providers");
  assert.ok(ofGlobal.includes(global) && ofGlobal.every((name: string) => name.startsWith("@global:")));
  const everywhere = await names(ada, "/providers?limit=500");
  for (const name of [...own, global, internal]) assert.ok(everywhere.includes(name), name);
  expectProblem(await ada.get("/rooms/a@b/providers"), "invalid-room-id");
  expectBadFields(await ada.get("/rooms/a@b/providers?limit=501"), "/query/limit");
  expectProblem(await scene.stranger.get("/rooms/list/providers"), "unauthorized");
});

test("a token for other rooms sees none of a room's providers, by no path", async () => {
  const { full_name, id } = await register();
  assert.deepEqual(await names(lina, "/rooms/lab/providers"), []);
  assert.ok(!(await names(lina, "/providers?limit=500")).includes(full_name));
  for (const room of ["lab", "attic", "@global"]) {
    expectProblem(await lina.get(`/rooms/${room}/providers/${full_name}/info`), "provider-not-found");
    expectProblem(await lina.get(`/rooms/${room}/providers/${full_name}`), "provider-not-found");
  }
  expectProblem(await lina.delete(`/providers/${id}`), "provider-not-found");
});

test("a room's provider is found from that room alone, one of @global from everywhere", async () => {
  const { full_name } = await register();
  const global = (await register(admin, {}, "@global")).full_name;
  const path = (room: string, name: string) => `/rooms/${room}/providers/${name}/info`;
  the(200, await bob.get(path("lab", full_name)));
  for (const room of ["attic", "@global", "@internal"]) {
    expectProblem(await ada.get(path(room, full_name)), "provider-not-found");
    expectProblem(await ada.get(`/rooms/${room}/providers/${full_name}`, { prefer: "wait=0" }), "provider-not-found");
  }
  for (const room of ["attic", "@global", "@internal"]) the(200, await ada.get(path(room, global)));
  for (const name of ["reader", "lab:files", "lab:files:none"]) {
    expectProblem(await ada.get(path("lab", name)), "provider-not-found");
  }
  expectProblem(await ada.get(path("a@b", full_name)), "invalid-room-id");
  expectProblem(await scene.stranger.get(path("lab", full_name)), "unauthorized");
});

test("a provider's name may hold slashes and colons, plainly or encoded", async () => {
  const { full_name } = await register(ada, { name: "a/b:c d/é" });
  const plain = encodeURI(full_name);
  for (const name of [plain, encodeURIComponent(full_name)]) {
    assert.equal(the(200, await ada.get(`/rooms/lab/providers/${name}/info`)).full_name, full_name);
  }
});

test("a provider is taken back by its owner or a superuser, once", async () => {
  const [first, second] = [await register(), await register()];
  expectProblem(await bob.delete(`/providers/${first.id}`), "forbidden");
  expectProblem(await vera.delete(`/providers/${first.id}`), "forbidden");
  expectProblem(await scene.stranger.delete(`/providers/${first.id}`), "unauthorized");
  const gone = await ada.delete(`/providers/${first.id.toUpperCase()}`);
  assert.deepEqual([gone.status, gone.text], [204, ""]);
  expectProblem(await ada.delete(`/providers/${first.id}`), "provider-not-found");
  the(204, await admin.delete(`/providers/${second.id}`));
  expectProblem(await ada.get(`/rooms/lab/providers/${first.full_name}/info`), "provider-not-found");
  expectBadFields(await ada.delete("/providers/x"), "/path/provider_id");
  the(200, await ada.get(`/workers/${first.worker_id}`));
});

test("a worker that is deleted takes its providers along, and no other's", async () => {
  const { worker_id, full_name } = await register();
  const second = await register(ada, { worker_id });
  const other = await register();
  the(204, await ada.delete(`/workers/${worker_id}`));
  for (const name of [full_name, second.full_name]) {
    expectProblem(await ada.get(`/rooms/lab/providers/${name}/info`), "provider-not-found");
  }
  the(200, await ada.get(`/rooms/lab/providers/${other.full_name}/info`));
});

test("a worker that falls silent takes its providers along", async () => {
  const quick = await restScene({ "worker-timeout-seconds": "1" });
  const { full_name } = the(201, await quick.admin.put("/rooms/lab/providers", words()));
  const path = `/rooms/lab/providers/${full_name}/info`;
  the(200, await quick.admin.get(path));
  await until("the provider is gone", async () => (await quick.admin.get(path)).status === 404, 10_000);
});

test("categories of providers are free unless the server lists some", async () => {
  const strict = await restScene({ "allowed-provider-categories": "files" });
  the(201, await strict.admin.put("/rooms/lab/providers", words()));
  expectProblem(await strict.admin.put("/rooms/lab/providers", words({ category: "frames" })), "invalid-category");
});
