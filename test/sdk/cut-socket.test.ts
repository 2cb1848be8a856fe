// A worker whose socket is cut and cannot be had again at once, while the rest of the wire is well: the server gives a
// worker up that has lost its connection and says nothing, so it has to say something.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Category, Extension, JobManager } from "../../src/sdk/index.ts";
import { issueToken } from "../../src/server/auth/tokens.ts";
import { readConfig } from "../../src/server/config.ts";
import { databaseOf } from "../../src/server/database.ts";
import { systemClock, systemSecret } from "../../src/server/system.ts";
import { withTokens } from "../../src/server/token-database.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { history } from "../rest/workshop.ts";
import { client as socketOf } from "../socketio/scene.ts";
import { clientOf, hire } from "./scene.ts";

const scene = await restScene({ "socket-grace": "1.5s" });
const { admin } = scene;
const where = { url: scene.url, token: admin.token };
const client = clientOf(where);
const clock = systemClock();

async function endingToken(user: string, expiresAt: number): Promise<string> {
  const words = { user, role: "user", rooms: null, jobs: null, name: null, expiresAt } as const;
  const { config } = readConfig({ environment: {}, flags: { data: scene.data } });
  const issued = await withTokens(databaseOf(config), recordedLog(), (store) =>
    issueToken({ store, clock, secret: systemSecret }, words),
  );
  return issued.token;
}

/** To join over Socket.IO is a beat too, and the first where beats are rare. */
async function hasJoined(worker: string): Promise<void> {
  const { items } = (await admin.get(`/workers/${worker}/events`)).body;
  const heardAt = async () => (await admin.get(`/workers/${worker}`)).body.last_heartbeat;
  await until("the worker has joined", async () => (await heardAt()) > items[0].at);
}

test("a token that ends while a handler runs costs the worker neither the task nor the word of a cancel", async () => {
  const expiresAt = clock.now() + 5_000;
  const [first, second] = [await endingToken("ada", expiresAt), await scene.caller("ada")];
  const hired = await hire(
    where,
    (worker) => {
      worker.job("lab:modifiers:Long", {}, ({ signal }) => {
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      });
    },
    { token: () => (clock.now() < expiresAt ? first : second.token), socket: true, heartbeatMs: 15_000 },
  ).start();
  const { id } = await client.submit("lab:modifiers:Long", {}, { room: "lab" });
  await until("the task runs", async () => (await client.get(id)).status === "running");
  await hasJoined(hired.ids[0] ?? "");
  // The server looks at tokens every two seconds; then the grace begins, and the worker comes back two seconds later.
  await until("it is back, and the grace is over", () => clock.now() > expiresAt + 2_000 + 2_000 + 2_500, 15_000);
  assert.deepEqual(await history(admin, id), ["submitted", "assigned"]);
  assert.equal(hired.ids.length, 1);
  await client.cancel(id);
  await until("the handler heard of it", () => hired.endings.length === 1, 2_000);
  assert.equal(hired.endings[0]?.ending, "dropped");
  await hired.worker.stop();
});

class Slow extends Extension {
  static readonly category = Category.MODIFIER;
  override run(): void {}
}

test("a manager whose socket is cut and refused says that it lives, and keeps its task", async () => {
  const expiresAt = clock.now() + 1_500;
  const [first, second] = [await endingToken("grace", expiresAt), await scene.caller("grace")];
  const rest = { http: fetch, baseUrl: scene.url, raiseForStatus() {} };
  const getHeaders = () => ({ authorization: `Bearer ${second.token}` });
  // The host's own socket, which shows the first token for ever.
  const socket = socketOf(scene.url, first, { reconnectionDelay: 100 });
  await using manager = new JobManager({ ...rest, getHeaders }, socket);
  await manager.register(Slow, { room: "lab" });
  const { id } = await client.submit("lab:modifiers:Slow", {}, { room: "lab" });
  const task = await manager.claim();
  assert.ok(task !== null);
  await manager.start(task);
  await until("the connection is refused", () => clock.now() > expiresAt && !socket.active, 10_000);
  const refusedAt = clock.now();
  await until("the grace is over", () => clock.now() > refusedAt + 2_500, 10_000);
  await manager.complete(task);
  assert.deepEqual(await history(admin, id), ["submitted", "claimed", "started", "completed"]);
});
