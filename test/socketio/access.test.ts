// Who is let in, what he may listen to, and for how long.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Socket } from "socket.io-client";
import { problems } from "../../src/core/problem.ts";
import { hashOf, idOf } from "../../src/server/auth/api-token.ts";
import { issueToken, revokeToken } from "../../src/server/auth/tokens.ts";
import { readConfig } from "../../src/server/config.ts";
import { databaseOf } from "../../src/server/database.ts";
import { systemClock, systemSecret } from "../../src/server/system.ts";
import { type TokenStore, withTokens } from "../../src/server/token-database.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { until } from "../../src/testing/until.ts";
import { type Caller, restScene } from "../rest/scene.ts";
import { client, connect, type Data, register, submit } from "./scene.ts";

const scene = await restScene();
const { url, admin } = scene;
const clock = systemClock();

function withTokensOf<T>(work: (store: TokenStore) => Promise<T>): Promise<T> {
  const { config } = readConfig({ environment: {}, flags: { data: scene.data } });
  return withTokens(databaseOf(config), recordedLog(), work);
}

function refusal(socket: Socket): Promise<Data> {
  return new Promise((resolve, reject) => {
    socket.once("connect_error", (error) => resolve((error as { data?: Data }).data));
    socket.once("connect", () => reject(new Error("It was let in")));
  });
}

function expectRefused(answer: Data, code: keyof typeof problems, detail: RegExp): void {
  assert.equal(answer.ok, false, JSON.stringify(answer));
  assert.equal(answer.problem.type, `/v1/problems/${code}`, JSON.stringify(answer));
  assert.equal(answer.problem.status, problems[code].status);
  assert.match(answer.problem.detail, detail);
}

for (const transport of ["websocket", "polling"] as const) {
  test(`without a good token nobody is let in, and is told why, over ${transport}`, async () => {
    const missing = await refusal(client(url, undefined, { transports: [transport] }));
    assert.deepEqual(
      [missing.problem.type, missing.problem.status, missing.problem.title],
      ["/v1/problems/unauthorized", 401, "Unauthorized"],
    );
    const bad = await refusal(client(url, `${admin.token.slice(0, -1)}_`, { transports: [transport] }));
    assert.match(bad.problem.detail, /not valid/);
    const odd = await refusal(client(url, undefined, { auth: { token: { a: 1 } }, transports: [transport] }));
    assert.equal(odd.problem.status, 401);
  });
}

test("a token that was revoked or has expired ends its connections within seconds, and says so to the next", async () => {
  const expiresAt = clock.now() + 3_000;
  const words = { role: "user", rooms: null, jobs: null, name: null } as const;
  const expiring = await withTokensOf((store) =>
    issueToken({ store, clock, secret: systemSecret }, { ...words, user: "eve", expiresAt }),
  );
  const eve = await connect(url, { ...admin, token: expiring.token });
  const ada = await scene.caller("ada");
  const revoked = await connect(url, ada);
  // They look for the server again at once, and are told only once.
  const told = [eve, revoked].map(
    ({ socket }) =>
      new Promise<Data>((resolve) => {
        socket.on("connect_error", (error) => resolve((error as { data?: Data }).data));
      }),
  );
  await withTokensOf((store) => revokeToken({ store, clock }, idOf(hashOf(ada.token))));
  const lasting = await connect(url, admin);
  await until("both are cut off", () => !eve.socket.connected && !revoked.socket.connected, 12_000);
  const whys = (await Promise.all(told)).map(({ problem }) => problem.detail);
  assert.deepEqual(whys, ["The token has expired", "The token was revoked"]);
  assert.ok(lasting.socket.connected, "others stay");
});

test("a worker's rooms are for its owner, and for the jobs it serves", async () => {
  const [ann, bob] = [await scene.caller("ann"), await scene.caller("bob")];
  const { job, worker } = await register(ann, "lab", "Mine");
  const { job: other, worker: others } = await register(ann, "lab", "Other");
  const disk = { category: "files", name: "disk", worker_id: worker };
  assert.equal((await ann.put("/rooms/lab/providers", disk)).status, 201);
  const [anns, bobs] = [await connect(url, ann), await connect(url, bob)];
  const both = (name: string) => [
    ["join_job_room", { job_name: job, worker_id: name }] as const,
    ["join_provider_room", { provider_name: "lab:files:disk", worker_id: name }] as const,
  ];
  for (const [event, data] of both(worker)) {
    expectRefused(await bobs.ask(event, data), "forbidden", /belongs to someone else/);
    assert.deepEqual(await anns.ask(event, data), { ok: true }, event);
  }
  for (const [event, data] of both(randomUUID())) {
    expectRefused(await anns.ask(event, data), "worker-not-found", /does not exist/);
  }
  expectRefused(await anns.ask("join_job_room", { job_name: other, worker_id: worker }), "forbidden", /does not serve/);
  expectRefused(await anns.ask("join_job_room", { job_name: "x", worker_id: worker }), "job-not-found", /format/);
  const provider = { provider_name: "disk", worker_id: worker };
  expectRefused(await anns.ask("join_provider_room", provider), "provider-not-found", /format/);
  const unknown = { provider_name: "@global:files:disk", worker_id: worker };
  expectRefused(await anns.ask("join_provider_room", unknown), "provider-not-found", /does not exist/);
  const another = { provider_name: "lab:files:disk", worker_id: others };
  expectRefused(await anns.ask("join_provider_room", another), "forbidden", /is not provider/);
  const id = await submit(ann, "lab", job);
  await anns.hears("task_available", ({ task_id }) => task_id === id);
  await bobs.ask("room_leave", { room_id: "lab" });
  assert.deepEqual(bobs.heard, []);
});

test("a superuser does not speak for the worker of another, and a viewer has no workers", async () => {
  const cat = await scene.caller("cat");
  const { job, worker } = await register(cat, "lab", "Cats");
  const root = await connect(url, admin);
  expectRefused(await root.ask("join_job_room", { job_name: job, worker_id: worker }), "forbidden", /someone else/);
  const watching = await connect(url, await scene.caller("cat", { role: "viewer" }));
  expectRefused(await watching.ask("join_job_room", { job_name: job, worker_id: worker }), "forbidden", /only read/);
  assert.deepEqual(await watching.ask("room_join", { room_id: "lab" }), { ok: true });
});

test("rooms that a token may not see stay silent to it; the reserved ones are everyone's", async () => {
  const { job } = await register(admin, "secret", "Hidden");
  const limited = await connect(url, await scene.caller("dan", { rooms: ["lab"] }));
  expectRefused(await limited.ask("room_join", { room_id: "secret" }), "forbidden", /not for room 'secret'/);
  for (const room_id of ["lab", "@global", "@internal"]) {
    assert.deepEqual(await limited.ask("room_join", { room_id }), { ok: true });
  }
  expectRefused(await limited.ask("room_join", { room_id: "@other" }), "invalid-room-id", /invalid characters/);
  const seen = await connect(url, admin);
  await seen.ask("room_join", { room_id: "secret" });
  await submit(admin, "secret", job);
  await seen.hears("task_status_event");
  await limited.ask("room_leave", { room_id: "secret" });
  assert.deepEqual(limited.heard, []);
});

test("what is not as described is refused by its field, and the connection goes on", async () => {
  const { job, worker } = await register(admin, "bad", "Input");
  const by = await connect(url, admin);
  const cases: [string, unknown, string[]][] = [
    ["join_job_room", {}, ["/job_name", "/worker_id"]],
    ["join_job_room", { job_name: 7, worker_id: worker }, ["/job_name"]],
    ["join_job_room", { job_name: job, worker_id: "me" }, ["/worker_id"]],
    ["room_join", "lab", [""]],
    ["room_join", null, [""]],
    ["room_join", ["lab"], [""]],
    ["room_join", { room_id: "" }, ["/room_id"]],
    ["room_join", { room_id: "x".repeat(10_000) }, ["/room_id"]],
    ["room_leave", { room_id: { a: 1 } }, ["/room_id"]],
  ];
  for (const [event, data, pointers] of cases) {
    const answer = await by.socket.timeout(5_000).emitWithAck(event, data);
    expectRefused(answer, "invalid-request", /./);
    const named = answer.problem.errors.map(({ pointer }: Data) => pointer);
    assert.deepEqual(named, pointers, `${event} ${JSON.stringify(data)?.slice(0, 99)}`);
    by.socket.emit(event, data);
  }
  expectRefused(await by.socket.timeout(5_000).emitWithAck("room_join"), "invalid-request", /./);
  expectRefused(await by.ask("take_over"), "not-found", /take_over/);
  expectRefused(await by.ask("constructor"), "not-found", /constructor/);
  by.socket.emit("room_join", { room_id: "a" }, 1, 2, { three: [] });
  assert.deepEqual(await by.ask("room_join", { room_id: "bad", more: true }), { ok: true });
  assert.ok(by.socket.connected);
});

test("a connection is in a thousand rooms at most", async () => {
  const by = await connect(url, admin);
  const answers: Data[] = await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => by.ask("room_join", { room_id: `many-${n}` })),
  );
  // One room is the connection's own.
  assert.equal(answers.filter(({ ok }) => ok).length, 999);
  expectRefused(answers.at(-1), "rate-limited", /1000 rooms/);
  await by.ask("room_leave", { room_id: "many-1" });
  assert.deepEqual(await by.ask("room_join", { room_id: "another" }), { ok: true });
});

test("what is asked of a provider is heard by the worker that has it now, and by no former one", async () => {
  const words = { category: "files", name: "handed", schema: {} };
  const [ann, bob] = [await scene.caller("ann"), await scene.caller("bob")];
  const listening = async (who: Caller) => {
    const { id, worker_id } = (await who.put("/rooms/lab/providers", words)).body;
    const connected = await connect(url, who);
    const answer = await connected.ask("join_provider_room", { provider_name: "lab:files:handed", worker_id });
    assert.deepEqual(answer, { ok: true });
    return { id, connected };
  };
  const former = await listening(ann);
  assert.equal((await ann.delete(`/providers/${former.id}`)).status, 204);
  const { connected } = await listening(bob);
  await bob.get("/rooms/lab/providers/lab:files:handed?secret=1", { prefer: "wait=0" });
  await connected.hears("provider_request");
  // A word of the same server that comes later is there by now too.
  await former.connected.ask("room_join", { room_id: "lab" });
  assert.deepEqual(former.connected.of("provider_request"), []);
});

test("an event that is called by a number is as unknown as any other", async () => {
  const { socket } = await connect(url, admin);
  expectRefused(await socket.timeout(5_000).emitWithAck(7 as never), "not-found", /no event '7'/);
});

test("a connection that is left and joined again and again leaves nothing behind", async () => {
  const warnings: string[] = [];
  const note = (warning: Error) => void warnings.push(warning.name);
  process.on("warning", note);
  const raw = new WebSocket(`${url.replace("http", "ws")}/socket.io/?EIO=4&transport=websocket`);
  let joined = 0;
  raw.addEventListener("message", async ({ data }) => {
    if (data.startsWith("40")) {
      joined += 1;
      raw.send("41");
      // It has been heard when a later request is answered.
      await admin.get("/workers");
    }
    if (/^(?:0|40)/.test(data)) raw.send(`40${JSON.stringify({ token: admin.token })}`);
  });
  await until("it was there a dozen times", () => joined > 12);
  raw.close();
  // Warnings are told in a turn of their own.
  await admin.get("/workers");
  process.off("warning", note);
  assert.deepEqual(warnings, []);
});
