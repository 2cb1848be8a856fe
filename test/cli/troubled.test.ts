// Commands when the server, or what stands in between, is in trouble.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { after, test } from "node:test";
import { run } from "../leadhand-process.ts";
import { commandScene, rotate } from "./command-scene.ts";

const { admin, url, environment } = await commandScene();

/** Something that listens in the server's place. */
async function standIn(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Where somebody listened a moment ago, and nobody does now. */
async function deserted(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

const token = admin.token;

test("a submit whose answer was lost on the way is sent again, and is one task", async () => {
  const before = (await admin.get("/tasks?limit=0")).body.total;
  let asked = 0;
  const between = await standIn(async (request, reply) => {
    asked += 1;
    const body = await buffer(request);
    const { authorization = "", "idempotency-key": key } = request.headers;
    const headers = { authorization, "idempotency-key": String(key), "content-type": "application/json" };
    const answer = await fetch(`${url}${request.url}`, { method: request.method as string, headers, body });
    const text = await answer.text();
    if (asked === 1) request.socket.destroy();
    else reply.writeHead(answer.status, { "content-type": "application/json" }).end(text);
  });
  const { code, out, err } = await run(["submit", rotate, '{"angle": 5}', "--url", between, "--token", token]);
  assert.equal(code, 0, err);
  assert.match(err, /no answer came; sending it again under the same key/);
  assert.equal(asked, 2);
  assert.equal((await admin.get("/tasks?limit=0")).body.total, before + 1);
  assert.equal((await admin.get(`/tasks/${out.trim()}`)).status, 200);
});

test("a server that is not there is told at once, with what to do", async () => {
  const given = ["--url", await deserted(), "--token", "lh_x"];
  const [told, json] = await Promise.all([run(["submit", rotate, "{}", ...given]), run(["tasks", "--json", ...given])]);
  assert.deepEqual([told.code, told.out, json.code], [1, "", 1]);
  assert.match(told.err, /^leadhand submit: No answer from http:\S+: .*ECONNREFUSED.*--url or LEADHAND_URL/);
  assert.equal(told.err.trim().split("\n").length, 1, "nobody is waited for who was never there");
  assert.equal(JSON.parse(json.err).code, "unreachable");
});

test("a stranger is told how to get a token", async () => {
  const { code, err } = await run(["tasks", "--token", "lh_wrong"], environment);
  assert.equal(code, 1);
  assert.match(err, /\(unauthorized, 401\)\n {2}Give a token by LEADHAND_TOKEN or --token/);
});

test("what is no Leadhand is not taken for one", async () => {
  const other = await standIn((_, reply) => reply.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad</h1>"));
  const { code, err } = await run(["rooms", "--url", other, "--token", "lh_x"]);
  assert.equal(code, 1);
  assert.match(err, /HTTP 502/);
});

test("providers are listed and told as the server has them", async () => {
  const provider = {
    ...{ id: "01993d6c-7a10-7000-8000-3f5b6c1d2e3f", room_id: "lab", category: "frames", name: "Trajectory" },
    ...{
      full_name: "lab:frames:Trajectory",
      schema: { type: "object" },
      worker_id: "01993d6c-6c00-7000-8000-0a1b2c3d4e5f",
    },
    created_at: "2026-11-15T09:38:36.995Z",
  };
  const asked: string[] = [];
  const server = await standIn((request, reply) => {
    asked.push(decodeURIComponent(request.url ?? ""));
    const page = { items: [provider], total: 1, total_exact: true, limit: 50, offset: 0 };
    reply.end(JSON.stringify(request.url?.endsWith("/info") ? provider : page));
  });
  const given = ["--url", server, "--token", "lh_x"];
  const list = await run(["providers", ...given]);
  const one = await run(["providers", provider.full_name, ...given]);
  const json = await run(["providers", "--room", "lab", "--json", ...given]);
  assert.match(list.out, /^PROVIDER +WORKER +REGISTERED\nlab:frames:Trajectory +01993d6c-6c00-\S+ +\d+ \w+/);
  assert.match(one.out, /^provider +lab:frames:Trajectory\n/);
  assert.equal(JSON.parse(json.out).items[0].name, "Trajectory");
  assert.deepEqual(asked, [
    "/v1/providers",
    "/v1/rooms/lab/providers/lab:frames:Trajectory/info",
    "/v1/rooms/lab/providers",
  ]);
});
