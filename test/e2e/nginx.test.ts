// The configuration of docs/guides/scale.md, taken from the page itself, between real servers and those who ask them.

import assert from "node:assert/strict";
import { request } from "node:https";
import { after, test } from "node:test";
import { io } from "socket.io-client";
import { WebSocket } from "ws";
import { selfSigned } from "../../src/testing/self-signed.ts";
import { until } from "../../src/testing/until.ts";
import { freePort } from "../../tools/free-port.ts";
import { type Nginx, nginxProgram, startNginx } from "../../tools/nginx.ts";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { temporaryFolder } from "../leadhand-process.ts";
import { type RestScene, restScene } from "../rest/scene.ts";
import { readDocument } from "../shell-blocks.ts";

const program = nginxProgram();
const skip = withPostgres.skip || (program === undefined && "no nginx");

let nginx: Nginx | null = null;
after(() => nginx?.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Body = any;

/** The certificate is for nobody's eyes but ours. */
const trusting = { rejectUnauthorized: false } as const;

async function front() {
  const database = await freshDatabase();
  const flags = { "database-url": database, "trusted-proxies": "127.0.0.1" };
  const servers: RestScene[] = [];
  for (let nth = 0; nth < 3; nth += 1) servers.push(await restScene(flags));
  const port = await freePort();
  nginx = await startNginx(program as string, await snippet(servers, port));
  const token = servers[0]?.admin.token ?? "";
  const url = `https://127.0.0.1:${port}`;

  function ask(method: string, path: string, { body, headers }: { body?: object; headers?: object } = {}) {
    return new Promise<{ status: number; body: Body }>((resolve, reject) => {
      const authorization = { authorization: `Bearer ${token}` };
      const asked = request(
        url + path,
        { method, ...trusting, headers: { ...authorization, ...headers } },
        (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (part: string) => {
            text += part;
          });
          const isJson = /json/.test(answer.headers["content-type"] ?? "");
          answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: isJson ? JSON.parse(text) : text }));
        },
      );
      asked.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
  await until(
    "nginx listens",
    () =>
      ask("GET", "/health").then(
        () => true,
        () => false,
      ),
    10_000,
  );
  return { servers, url, token, ask };
}

/** As it is on the page, but for addresses and certificates. */
async function snippet(servers: readonly RestScene[], port: number): Promise<string> {
  const [, block = ""] = /```nginx\n(.*?)```/s.exec(readDocument("docs/guides/scale.md")) ?? [];
  const { tlsCert, tlsKey } = selfSigned(await temporaryFolder());
  let text = block.replace("listen 443", `listen 127.0.0.1:${port}`);
  text = text.replace("/etc/ssl/jobs.example.pem", tlsCert).replace("/etc/ssl/jobs.example.key", tlsKey);
  for (const [nth, { url }] of servers.entries()) text = text.replaceAll(`10.0.0.1${nth + 1}:7070`, new URL(url).host);
  assert.doesNotMatch(text, /10\.0\.0\.|\/etc\//);
  return text;
}

const job = "lab:modifiers:Print";

test("through the nginx of the guide pass requests, a stream, a /work worker and both transports of Socket.IO", {
  skip,
}, async (t) => {
  const { servers, url, token, ask } = await front();
  assert.equal((await ask("GET", "/health/ready")).status, 200);
  assert.equal((await ask("GET", "/metrics")).status, 404);
  assert.equal((await ask("PUT", `/v1/specs/${job}`, { body: { schema: {} } })).status, 201);

  await t.test(
    "a task is submitted at one server, done by a connected worker at any, and followed to its end",
    async () => {
      const socket = new WebSocket(`${url.replace("https", "wss")}/work`, {
        ...trusting,
        headers: { authorization: `Bearer ${token}` },
      });
      const beat = (words: object) => socket.send(JSON.stringify({ type: "heartbeat", ready: 1, ...words }));
      socket.on("open", () => beat({ seq: 1, registration: { hostname: "w", os: "linux", specs: [{ id: job }] } }));
      socket.on("message", (data) => {
        const { type, seq, job: given } = JSON.parse(String(data)) as Body;
        if (type !== "assignment") return;
        const results = [{ jobId: given.id, attempt: given.attempt, outcome: "succeeded", data: { pages: 2 } }];
        beat({ seq: seq + 1, ackedAssignment: seq, results });
      });
      try {
        const submitted = await ask("POST", `/v1/rooms/lab/tasks/${job}`, { body: { payload: {} } });
        assert.equal(submitted.status, 202);
        const waited = await ask("GET", `/v1/tasks/${submitted.body.id}`, { headers: { prefer: "wait=20" } });
        assert.deepEqual([waited.body.status, waited.body.result], ["completed", { pages: 2 }]);
        const stream = await ask("GET", `/v1/tasks/${submitted.body.id}/stream`);
        assert.match(stream.body, /event: task/);
      } finally {
        socket.close();
      }
    },
  );

  for (const transports of [["websocket"], ["polling"], ["polling", "websocket"]]) {
    await t.test(`Socket.IO by ${transports.join(" and then ")} hears what happens at another server`, async () => {
      const socket = io(url, { ...trusting, transports, auth: { token } });
      const heard: Body[] = [];
      socket.on("task_status_event", (event) => heard.push(event));
      try {
        await until("it is connected", () => socket.connected, 10_000);
        assert.equal((await socket.emitWithAck("room_join", { room_id: "lab" })).ok, true);
        for (const { send } of servers) {
          const words = { token, body: `{"payload":{}}` };
          const { body } = await send("POST", `/v1/rooms/lab/tasks/${job}`, words);
          await until("the event", () => heard.some(({ id }) => id === body.id), 10_000);
        }
      } finally {
        socket.close();
      }
    });
  }

  await t.test("a server that is gone is left out, and nobody is told", async () => {
    await servers[2]?.stop();
    for (let nth = 0; nth < 12; nth += 1) {
      assert.equal((await ask("POST", `/v1/rooms/lab/tasks/${job}`, { body: { payload: {} } })).status, 202);
    }
  });
});
