import assert from "node:assert/strict";
import { test } from "node:test";
import Fastify from "fastify";
import type { RouteSpec } from "../../protocol/rest/route.ts";
import { routeDoor } from "./route-door.ts";

/** A route that goes on for long, and how often somebody began to read it. */
function long(isStillGood: () => boolean) {
  const spec: RouteSpec = {
    ...{ id: "follow", method: "GET", path: "/follow", tag: "tasks", summary: "Follow" },
    ...{ answers: { 200: { description: "Parts." } }, problems: [] },
  };
  let begun = 0;
  async function* parts(): AsyncGenerator<string> {
    begun += 1;
    for (let n = 1; n <= 100; n += 1) yield `${n};`;
  }
  const app = Fastify();
  const follow = async () => ({ status: 200, type: "text/event-stream", stream: parts() });
  routeDoor(
    app,
    [spec],
    { follow },
    {
      ...{ jsonDepthMax: 8, uploadBytesMax: 8, stopping: new AbortController().signal },
      who: () => ({ user: "ada", role: "viewer", rooms: null, jobs: null, token: null }),
      visit: () => ({ address: "", secure: false, prefix: "", session: null, bearer: null }),
      isStillGood: async () => isStillGood(),
    },
  );
  return { app, begun: () => begun };
}

test("an answer that goes on ends before the first part that is not for its reader any more", async () => {
  let told = 0;
  const { app } = long(() => {
    told += 1;
    return told <= 3;
  });
  const { statusCode, body } = await app.inject({ url: "/follow" });
  assert.deepEqual([statusCode, body], [200, "1;2;3;"]);
});

test("of an answer that goes on, who asks for its head alone begins nothing", async () => {
  const { app, begun } = long(() => true);
  const { statusCode, headers, body } = await app.inject({ method: "HEAD", url: "/follow" });
  assert.deepEqual([statusCode, headers["content-type"], body, begun()], [200, "text/event-stream", "", 0]);
});
