import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { until } from "../testing/until.ts";
import { lastAnswers } from "./last-answers.ts";

test("a server that closes ends each connection with the answer in hand, also where the answer has begun", async () => {
  const waiting = new Map<string, ServerResponse>();
  const server = createServer((request, response) => waiting.set(request.url ?? "", response)).listen(0, "127.0.0.1");
  const last = lastAnswers(server);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const heard = ["/new", "/begun"].map((path) => {
    const socket = connect(port, "127.0.0.1").setEncoding("utf8");
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return socket.toArray();
  });
  await until("both are in hand", () => waiting.size === 2);
  waiting.get("/begun")?.write("so ");

  const closed = once(server, "close");
  last.begin();
  server.close();
  waiting.get("/begun")?.end("far");
  waiting.get("/new")?.end("all");
  const [fresh, begun] = (await Promise.all(heard)).map((parts) => parts.join(""));
  assert.match(fresh as string, /^connection: close\r$/m);
  assert.match(fresh as string, /all$/);
  assert.match(begun as string, /so \r\n3\r\nfar\r\n0\r\n\r\n$/, "nothing of it is cut off");
  await closed;
});

test("an answer that is still being read when a server closes is not cut off", async () => {
  const answer = Buffer.alloc(32 * 1_024 * 1_024, "x");
  let given: ServerResponse | undefined;
  const server = createServer((_, response) => {
    given = response.end(answer);
  }).listen(0, "127.0.0.1");
  const last = lastAnswers(server);
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await until("it is answered", () => given !== undefined);
  assert.equal(given?.writableFinished, false, "nobody has read it");

  const closed = once(server, "close");
  last.begin();
  server.close();
  const heard = Buffer.concat(await socket.toArray());
  assert.ok(heard.length > answer.length, `${heard.length} bytes`);
  await closed;
});
