import assert from "node:assert/strict";
import { after, test } from "node:test";
import { WebSocket } from "ws";
import type { Json } from "../../src/core/checksum.ts";
import { restScene } from "../rest/scene.ts";
import { clientOf } from "./door-scene.ts";
import { play, type Stage, scenes } from "./scenes.ts";

const scene = await restScene();
const [ada, eve] = [await scene.caller("ada"), await scene.caller("eve", { role: "viewer" })];
const tokens = { user: ada.token, viewer: eve.token, wrong: `lh_${"x".repeat(43)}`, none: null } as const;
const open = new Set<WebSocket>();
after(() => {
  for (const ws of open) ws.terminate();
});

async function connect(token: string | null) {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  const ws = new WebSocket(`${scene.url.replace("http", "ws")}/work`, { headers });
  open.add(ws);
  const client = clientOf(ws);
  await new Promise((resolve, reject) => ws.once("open", resolve).once("error", reject));
  return client;
}

const jobs: Stage["jobs"] = {
  async register({ id, schema }) {
    const request = { name: `@global:specs:${id}`, schema: schema as Json, source: "explicit", replace: true } as const;
    await scene.serving.operations.jobs.register(request);
  },
  async submit({ spec, ...words }) {
    const { status, body, text } = await ada.post(`/rooms/@global/tasks/@global:specs:${spec}`, words);
    assert.equal(status, 202, text);
    return body.id;
  },
  async cancel(id) {
    assert.equal((await ada.post(`/tasks/${id}/cancel`)).status, 200);
  },
  read: async (id) => (await ada.get(`/tasks/${id}`)).body,
};

/** All at once: each has connections and specs of its own. */
const plays = scenes.map((each) => {
  const played = play(each, { connect: () => connect(tokens[each.token]), pass: () => undefined, jobs });
  // How it went is told by its test.
  played.catch(() => undefined);
  return { name: each.name, played };
});

for (const { name, played } of plays) {
  test(`a whole server plays the published scene: ${name}`, () => played);
}
