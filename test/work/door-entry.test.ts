import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { doorScene, heartbeat, registration, welcomed } from "./door-scene.ts";

const scene = await doorScene();

test("the first heartbeat registers the worker, and is answered with a welcome that says which specs are accepted", async () => {
  const client = await scene.connect();
  const specs = [{ id: "thumbnails", checksum: "sha256:aa" }, { id: "other", checksum: "sha256:bb" }, { id: "any" }];
  const capabilities = { logs: true, cancel: true, echo: true, commands: true };
  const about = { arch: "x64", runtime: "node 22", pid: 42, version: "7", concurrency: 4, prefetch: 2 };
  const words = { hostname: "w-1", os: "linux", name: "Wall-E", labels: { gpu: "yes" }, queues: ["reports"], specs };
  client.send(heartbeat({ ready: 6, registration: { ...words, ...about, capabilities } }));
  const seat = (await client.hears("welcome")) && scene.desk.seats.at(-1);
  assert.deepEqual(client.heard[0], {
    ...{ type: "welcome", protocol: 1, workerId: client.heard[0].workerId, token: client.heard[0].token },
    specs: [
      { id: "thumbnails", accepted: true },
      { id: "other", accepted: false, reason: "checksum", checksum: "sha256:aa" },
      { id: "any", accepted: true },
    ],
    ...{ resumed: false, lost: [], heartbeatMaxGapMs: 1_000, lostAfterMs: 5_000, server: "1.2.3" },
  });
  assert.deepEqual(seat?.words, {
    ...words,
    specs: [specs[0], specs[1], { id: "any", checksum: null }],
    about: JSON.stringify(about),
    ...{ concurrency: 4, prefetch: 2, logs: true, cancel: true, echo: true, commands: true, resume: null },
  });
  assert.equal(seat?.who.user, "ada");
  assert.equal(seat?.beats[0]?.ready, 6, "it asks for work at once");
});

test("a worker that comes back says what it holds, and hears what is not its own any more", async () => {
  const held = [1, 2].map((n) => ({ jobId: `0190A1B2-0000-7000-8000-00000000000${n}`, attempt: n }));
  const resume = { workerId: "0190A1B2-0000-7000-8000-000000000009", token: "t", jobs: held };
  const { client, seat } = await welcomed(scene, { resume });
  assert.deepEqual(seat.words.resume, {
    ...{ worker: resume.workerId.toLowerCase(), token: "t" },
    held: held.map(({ jobId, attempt }) => ({ task: jobId.toLowerCase(), attempt })),
  });
  const { resumed, lost } = client.heard[0];
  assert.deepEqual([resumed, lost], [true, [{ jobId: held[1]?.jobId.toLowerCase(), attempt: 2 }]]);
});

test("both paths lead to the door, with a query too, and their neighbours do not", async () => {
  for (const path of ["/work", "/v1/work", "/work?zone=a"]) {
    const client = await scene.connect({ path });
    client.send(heartbeat({ registration }));
    await client.hears("welcome");
  }
  for (const path of ["/workers", "/work/", "/v1/workers", "/v1/work/x"]) {
    await assert.rejects(scene.connect({ path }), /404/, path);
  }
});

test("the token may come as a subprotocol, which is never given back", async () => {
  const client = await scene.connect({ token: null, protocols: ["leadhand.work.v1", "bearer.ada"] });
  assert.equal(client.ws.protocol, "leadhand.work.v1");
  client.send(heartbeat({ registration }));
  await client.hears("welcome");
  // Clients that take it seriously need one of what they offered.
  await assert.rejects(scene.connect({ token: null, protocols: ["bearer.ada"] }), /no subprotocol/);
});

for (const [whose, token, code] of [
  ["a wrong token", "mallory", "unauthorized"],
  ["no token", null, "unauthorized"],
  ["the token of a viewer", "eve", "forbidden"],
] as const) {
  test(`with ${whose} a connection is told why not, and ends with 4401`, async () => {
    const seats = scene.desk.seats.length;
    const client = await scene.connect({ token });
    client.send(heartbeat({ registration }));
    const { problem } = await client.hears("error");
    assert.equal(problem.type, `/v1/problems/${code}`);
    assert.equal(await client.ends(), 4401);
    assert.equal(scene.desk.seats.length, seats);
  });
}

test("a worker whose token is revoked is told so within seconds, and cut off", async () => {
  const own = await doorScene();
  const { client } = await welcomed(own);
  own.clock.advance(2_100);
  await client.hears("beat");
  assert.equal(client.code, null);
  own.revoke("ada");
  own.clock.advance(3_000);
  assert.equal((await client.hears("error")).problem.type, "/v1/problems/unauthorized");
  assert.equal(await client.ends(), 4401);
});

test("one connection too many is asked to come later", async () => {
  const own = await doorScene({ "work-connections-max": "1" });
  const { client: first } = await welcomed(own);
  const second = await own.connect();
  assert.equal((await second.hears("error")).problem.type, "/v1/problems/too-many-connections");
  assert.equal(await second.ends(), 1013);
  first.ws.close(1000);
  await until("it is gone", async () => (await own.metric("leadhand_work_connections")) === 0);
  await welcomed(own);
});

test("a plain request is told to upgrade, and so is a handshake that is none", async () => {
  for (const path of ["/work", "/v1/work"]) {
    const answer = await fetch(scene.url + path);
    assert.equal(answer.status, 426);
    assert.equal(answer.headers.get("upgrade"), "websocket");
    assert.equal(((await answer.json()) as { type: string }).type, "/v1/problems/upgrade-required");
  }
  const status = await new Promise((resolve, reject) => {
    const headers = { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    const asked = request({ port: scene.port, path: "/work", headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on("error", reject).end();
  });
  assert.equal(status, 426);
});
