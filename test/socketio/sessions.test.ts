// Connections by the cookie of a session: for pages of our own, and for as long as the session lasts.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Socket } from "socket.io-client";
import { WebSocket } from "ws";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { signIn } from "../rest/signed-in.ts";
import { client, type Data, type Transport } from "./scene.ts";

const scene = await restScene({ "trusted-proxies": "127.0.0.1" });
const ada = await scene.caller("ada", { rooms: ["lab"] });
const transports = ["websocket", "polling"] as const;

type Headers = Readonly<Record<string, string>>;

function withCookie(cookie: string, transport: Transport, headers: Headers, token?: string): Socket {
  return client(scene.url, token, { transports: [transport], extraHeaders: { cookie, ...headers } });
}

/** Null where it was let in. */
function refusal(socket: Socket): Promise<Data> {
  return new Promise((resolve) => {
    socket.once("connect_error", (error) => resolve((error as { data?: Data }).data.problem));
    socket.once("connect", () => resolve(null));
  });
}

for (const transport of transports) {
  test(`a page of ours is let in by its cookie, with the rights of the session, over ${transport}`, async () => {
    const { cookie } = await signIn(scene, ada);
    const socket = withCookie(cookie, transport, { origin: scene.url });
    assert.equal(await refusal(socket), null);
    const join = (room_id: string) => socket.timeout(5_000).emitWithAck("room_join", { room_id });
    assert.equal((await join("lab")).ok, true);
    assert.equal((await join("attic")).problem.status, 403);
    socket.disconnect();
  });

  test(`a page of another site is not, over ${transport}`, async () => {
    const { cookie } = await signIn(scene, ada);
    for (const origin of ["https://evil.example", "null", `${scene.url}0`]) {
      const { type, detail } = await refusal(withCookie(cookie, transport, { origin }));
      assert.equal(type, "/v1/problems/forbidden");
      assert.match(detail, /Origin/);
    }
  });

  test(`behind a trusted proxy its host is ours, over ${transport}, also when the look is repeated`, async () => {
    const { cookie } = await signIn(scene, ada);
    const seen = { "x-forwarded-host": "lab.example", "x-forwarded-proto": "https" };
    const plain = await refusal(withCookie(cookie, transport, { ...seen, origin: "http://lab.example" }));
    assert.equal(plain.type, "/v1/problems/forbidden");
    const socket = withCookie(cookie, transport, { ...seen, origin: "https://lab.example" });
    assert.equal(await refusal(socket), null);
    const answer = await socket.timeout(5_000).emitWithAck("room_join", { room_id: "lab" });
    assert.equal(answer.ok, true);
    socket.disconnect();
  });
}

test("a WebSocket that names no origin is no browser, and its cookie counts for nothing", async () => {
  const { cookie } = await signIn(scene, ada);
  assert.equal((await refusal(withCookie(cookie, "websocket", {}))).status, 401);
  assert.equal(await refusal(withCookie(cookie, "polling", {})), null, "a browser's own polls name none");
});

test("where a token is shown too, it is the token that counts", async () => {
  const { cookie } = await signIn(scene, ada);
  const origin = { origin: scene.url };
  assert.equal((await refusal(withCookie(cookie, "websocket", origin, "lh_"))).status, 401);
  const foreign = { origin: "https://evil.example" };
  assert.equal(await refusal(withCookie(cookie, "websocket", foreign, ada.token)), null);
  const secret = cookie.split("=")[1] as string;
  assert.equal((await refusal(withCookie("", "websocket", origin, secret))).status, 401);
});

test("a session that ends takes its connections along within seconds, and no others", async () => {
  const [leaving, staying] = [await signIn(scene, ada), await signIn(scene, ada)];
  const [gone, still] = [leaving, staying].map(({ cookie }) => withCookie(cookie, "websocket", { origin: scene.url }));
  for (const socket of [gone, still]) assert.equal(await refusal(socket as Socket), null);
  let isGone = false;
  gone?.once("disconnect", () => {
    isGone = true;
  });
  assert.equal((await leaving.act("DELETE", "/session")).status, 204);
  await until("it is disconnected", () => isGone, 8_000);
  assert.equal(still?.connected, true);
});

test("workers show tokens: /work takes no cookie", async () => {
  const { cookie } = await signIn(scene, ada);
  const socket = new WebSocket(`${scene.url.replace("http", "ws")}/work`, { headers: { cookie, origin: scene.url } });
  const code = await new Promise<number>((resolve) => socket.once("close", resolve));
  assert.equal(code, 4401);
});
