// The door on its port: beside HTTP, with and without TLS, and what is too much for it.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { selfSigned } from "../../src/testing/self-signed.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { wire } from "../rest/wire.ts";
import { client, connect, register, submit } from "./scene.ts";

const scene = await restScene({
  "body-bytes-max": "65536",
  "payload-bytes-max": "65536",
  "requests-per-second-max": "50",
});
const { url, admin } = scene;
const folder = mkdtempSync(join(tmpdir(), "leadhand-socketio-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const upgrade = (path: string, to: string) =>
  `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: ${to}\r\n` +
  "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

test("an upgrade where nothing can be upgraded to is answered with a problem, and the connection ends", async () => {
  for (const path of ["/", "/v1/tasks", "/socket.iox", "/workers", "/work/x"]) {
    const by = await wire(url);
    const reply = await by.ask(upgrade(path, "websocket"));
    assert.equal(reply?.status, 404, path);
    assert.equal(JSON.parse(reply?.text ?? "").type, "/v1/problems/not-found");
    await by.closed;
  }
});

test("an offer of another version of HTTP is ignored, as HTTP has it", async () => {
  const by = await wire(url);
  assert.equal((await by.ask(upgrade("/health", "h2c")))?.status, 200);
  by.hangUp();
});

test("a connection that begins with polling goes on as a WebSocket", async () => {
  const by = await connect(url, admin, { transports: ["polling", "websocket"] });
  await until("it is a WebSocket", () => by.socket.io.engine.transport.name === "websocket");
  assert.deepEqual(await by.ask("room_join", { room_id: "lab" }), { ok: true });
});

test("what is no request of the protocol is refused, and others are served", async () => {
  for (const path of ["/socket.io/", "/socket.io/?EIO=4&transport=fax", "/socket.io/?EIO=4&transport=polling&sid=no"]) {
    assert.equal((await scene.send("GET", path)).status, 400, path);
  }
  const started = await scene.send("GET", "/socket.io/?EIO=4&transport=polling");
  const { sid } = JSON.parse(started.text.slice(1));
  const sent = await scene.send("POST", `/socket.io/?EIO=4&transport=polling&sid=${sid}`, { body: "9nonsense" });
  assert.ok(sent.status === 200 || sent.status === 400);
  assert.equal((await admin.get("/workers")).status, 200);
});

test("a message that is too large ends the connection, and nothing else", async () => {
  const [large, other] = [await connect(url, admin, { reconnection: false }), await connect(url, admin)];
  large.socket.emit("room_join", { room_id: "x".repeat(70_000) });
  await until("it is cut off", () => !large.socket.connected);
  assert.deepEqual(await other.ask("room_join", { room_id: "lab" }), { ok: true });
});

test("events count as requests of their token", async () => {
  const flo = await scene.caller("flo");
  const by = await connect(url, flo);
  const answers = await Promise.all(Array.from({ length: 400 }, () => by.ask("room_join", { room_id: "lab" })));
  const refused = answers.filter(({ ok }) => !ok);
  assert.ok(refused.length > 0 && refused.length < 400, `${refused.length} were refused`);
  assert.equal(refused[0].problem.type, "/v1/problems/rate-limited");
});

test("behind TLS both transports work", async () => {
  const { tlsCert, tlsKey } = selfSigned(folder);
  const secure = await restScene({ "tls-cert": tlsCert, "tls-key": tlsKey });
  assert.match(secure.url, /^https:/);
  for (const transport of ["websocket", "polling"]) {
    const by = await connect(secure.url, secure.admin, { transports: [transport], rejectUnauthorized: false });
    assert.deepEqual(await by.ask("room_join", { room_id: "lab" }), { ok: true });
    by.socket.disconnect();
  }
});

test("a reader that does not read is told the newest of each task, not all that happened", async () => {
  const watched = await restScene();
  const { job, worker } = await register(watched.admin, "busy", "Flap");
  const path = "/socket.io/?EIO=4&transport=polling";
  const poll = async (sid: string) => (await watched.send("GET", `${path}&sid=${sid}`)).text.split("\u001e");
  const { sid } = JSON.parse((await watched.send("GET", path)).text.slice(1));
  const say = (body: string) => watched.send("POST", `${path}&sid=${sid}`, { body });
  await say(`40${JSON.stringify({ token: watched.admin.token })}`);
  await poll(sid);
  await say('421["room_join",{"room_id":"busy"}]');
  assert.deepEqual(await poll(sid), ['431[{"ok":true}]']);
  const id = await submit(watched.admin, "busy", job);
  const rounds = 60;
  for (let round = 0; round < rounds; round += 1) {
    const { body } = await watched.admin.post("/tasks/claim", { worker_id: worker });
    await watched.admin.post(`/tasks/${id}/release`, { lease_token: body.task.lease_token });
  }
  await watched.admin.patch(`/tasks/${id}`, { status: "cancelled" });
  const versions: number[] = [];
  for (let last = ""; last !== "cancelled"; ) {
    for (const packet of await poll(sid)) {
      if (!packet.startsWith("42")) continue;
      const [, data] = JSON.parse(packet.slice(2));
      versions.push(data.version);
      last = data.status;
    }
  }
  assert.ok(versions.length < rounds * 2, `${versions.length} events of ${rounds * 2 + 2} were sent`);
  assert.deepEqual(
    versions,
    [...versions].sort((a, b) => a - b),
  );
  assert.equal(versions.at(-1), rounds * 2 + 2);
});

test("a server that stops closes its connections in good order", async () => {
  const ending = await restScene();
  const socket = client(ending.url, ending.admin.token, { reconnection: false });
  const polling = client(ending.url, ending.admin.token, { reconnection: false, transports: ["polling"] });
  await until("both are connected", () => socket.connected && polling.connected);
  const reasons: string[] = [];
  for (const each of [socket, polling]) each.on("disconnect", (reason) => reasons.push(reason));
  await ending.serving.stop();
  await until("both are told", () => reasons.length === 2);
  // Not "io server disconnect", after which a client would not look for the server again.
  for (const reason of reasons) assert.match(reason, /^transport (close|error)$/);
});
