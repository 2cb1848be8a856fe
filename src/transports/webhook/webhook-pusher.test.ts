import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { type PushRules, strictPushRules } from "../../core/push.ts";
import { realSurroundings } from "../../testing/real-surroundings.ts";
import type { Resolve } from "./checked-lookup.ts";
import { webhookPusher } from "./webhook-pusher.ts";

const { clock } = realSurroundings();
let asked: string[] = [];
let listener: RequestListener = (_, reply) => reply.end("{}");
const serving = createServer((request, reply) => {
  asked.push(request.headers.host ?? "");
  listener(request, reply);
});
await new Promise<void>((resolve) => serving.listen(0, "127.0.0.1", resolve));
const { port } = serving.address() as AddressInfo;
after(() => {
  serving.closeAllConnections();
  serving.close();
});

const http: PushRules = { ...strictPushRules, allowHttp: true };

/** A target that answers at all does so within this, on a busy machine too. */
const amplyMs = 20_000;

function post(
  url: string,
  rules: PushRules,
  resolve: Resolve,
  { signal = new AbortController().signal, timeoutMs = amplyMs } = {},
) {
  asked = [];
  const pusher = webhookPusher({ rules, resolve, clock, bytesMax: 1_000 });
  return pusher.post({ url, headers: {}, body: "{}", timeoutMs }, signal);
}

/** A name server that answers with these, one list after the other. */
function names(...answers: readonly (readonly string[])[]): Resolve & { looked: number } {
  const resolve = Object.assign(
    async () => {
      const addresses = answers[Math.min(resolve.looked, answers.length - 1)] ?? [];
      resolve.looked += 1;
      return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
    { looked: 0 },
  );
  return resolve;
}

const never: Resolve = () => Promise.reject(new Error("nobody is to be asked"));

for (const address of ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fd00::1"]) {
  test(`a name that leads to ${address} is not connected to`, async () => {
    const answer = await post(`http://innocent.example:${port}/`, http, names([address]));
    assert.ok(answer.type === "failed" && answer.reason === "address");
    assert.deepEqual(asked, []);
  });
}

test("one address that is not public among others is enough to refuse a name", async () => {
  const answer = await post(`http://mixed.example:${port}/`, http, names(["1.1.1.1", "127.0.0.1"]));
  assert.ok(answer.type === "failed" && answer.reason === "address");
});

for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:7f00:1]", "169.254.169.254"]) {
  test(`an address in the URL itself is looked at too: ${host}`, async () => {
    const answer = await post(`http://${host}:${port}/`, http, never);
    assert.ok(answer.type === "failed" && answer.reason === "address");
    assert.deepEqual(asked, []);
  });
}

test("a name is resolved once: what was looked at is what is connected to", async () => {
  const allowed = { ...http, allowHosts: ["rebound.example"] };
  const rebinding = names(["127.0.0.1"], ["127.0.0.2"]);
  const answer = await post(`http://rebound.example:${port}/`, allowed, rebinding);
  assert.equal(answer.type, "answered");
  assert.equal(rebinding.looked, 1);
  assert.deepEqual(asked, [`rebound.example:${port}`]);
});

test("a name that changes to an address of ours between two requests is refused at the second", async () => {
  const pusher = webhookPusher({
    rules: http,
    resolve: names(["203.0.113.1"], ["127.0.0.1"]),
    clock,
    bytesMax: 9,
  });
  const request = { url: `http://later.example:${port}/`, headers: {}, body: "{}", timeoutMs: amplyMs };
  for (let time = 0; time < 2; time += 1) {
    const answer = await pusher.post(request, new AbortController().signal);
    assert.ok(answer.type === "failed" && answer.reason === "address");
  }
});

test("a host that is listed may be anywhere, and so may all where private addresses are allowed", async () => {
  const listed = { ...http, allowHosts: ["here.example"] };
  assert.equal((await post(`http://here.example:${port}/`, listed, names(["127.0.0.1"]))).type, "answered");
  assert.equal((await post(`http://there.example:${port}/`, listed, names(["127.0.0.1"]))).type, "failed");
  const all = { ...strictPushRules, allowPrivate: true };
  assert.equal((await post(`http://127.0.0.1:${port}/`, all, never)).type, "answered");
});

test("a URL that another server's rules allowed is not taken for allowed here", async () => {
  const answer = await post("http://public.example/", strictPushRules, never);
  assert.ok(answer.type === "failed" && answer.reason === "address");
});

const open = { ...strictPushRules, allowPrivate: true };
const here = `http://127.0.0.1:${port}/`;

test("a redirect is an answer, and nothing follows it", async () => {
  listener = (_, reply) => reply.writeHead(302, { location: `http://127.0.0.1:${port}/inside` }).end();
  const answer = await post(here, open, never);
  assert.ok(answer.type === "answered" && answer.status === 302);
  assert.equal(asked.length, 1);
});

test("an answer is read no further than a result may be long", async () => {
  listener = (_, reply) => reply.end("x".repeat(100_000));
  const answer = await post(here, open, never);
  assert.ok(answer.type === "answered" && !answer.whole && answer.body.length === 1_000);
});

test("an answer that breaks off is no answer, nor is one that never ends", async () => {
  listener = (_, reply) => {
    reply.writeHead(200, { "content-length": "10" }).write("12");
    setImmediate(() => reply.destroy());
  };
  const broken = await post(here, open, never);
  assert.ok(broken.type === "failed" && broken.reason === "network");
  listener = (_, reply) => void reply.writeHead(200).write("12");
  const endless = await post(here, open, never, { timeoutMs: 500 });
  assert.ok(endless.type === "failed" && endless.reason === "timeout");
});

test("an abort ends the request where it is, also before it began", async () => {
  const abort = new AbortController();
  listener = () => abort.abort();
  assert.equal((await post(here, open, never, abort)).type, "failed");
  assert.equal((await post(here, open, never, abort)).type, "failed");
});
