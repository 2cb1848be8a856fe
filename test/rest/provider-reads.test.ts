import assert from "node:assert/strict";
import { test } from "node:test";
import { providerQuestion } from "../../src/core/provider.ts";
import { systemClock } from "../../src/server/system.ts";
import { until } from "../../src/testing/until.ts";
import { expectBadFields, expectProblem } from "./expect-problem.ts";
import { type Caller, restScene } from "./scene.ts";
import { the } from "./workshop.ts";

const scene = await restScene({ "provider-upload-bytes-max": "5000000" });
const { admin } = scene;
const ada = await scene.caller("ada");
const bob = await scene.caller("bob");
const clock = systemClock();
let made = 0;

interface Provider {
  readonly id: string;
  readonly path: string;
  readonly words: { readonly category: string; readonly name: string };
}

async function provider(more: object = {}, by = ada): Promise<Provider> {
  made += 1;
  const words = { category: "files", name: `reader-${made}`, content_type: "application/octet-stream", ...more };
  const { id, full_name } = the(201, await by.put("/rooms/lab/providers", words));
  return { id, path: `/rooms/lab/providers/${full_name}`, words };
}

const hashOf = (params: Record<string, string> = {}) => providerQuestion(new Map(Object.entries(params))).hash;

function upload(to: Pick<Provider, "id">, hash: string, body?: Uint8Array | string, by: Caller = ada) {
  const { token } = by;
  const headers = { "x-request-hash": hash };
  return scene.send("POST", `/v1/providers/${to.id}/results`, { token, headers, ...(body !== undefined && { body }) });
}

async function bytesOf(path: string): Promise<number[]> {
  const answer = await fetch(`${scene.url}/v1${path}`, { headers: { authorization: `Bearer ${bob.token}` } });
  assert.equal(answer.status, 200);
  return [...new Uint8Array(await answer.arrayBuffer())];
}

const waiting = (count: number) => until("the reads wait", () => scene.serving.operations.waitingReads() === count);

test("what is uploaded beforehand is read at once, byte for byte, any bytes and none", async () => {
  const its = await provider();
  const every = Array.from({ length: 256 }, (_, n) => n);
  const bodies: [Record<string, string>, number[]][] = [
    [{}, every],
    [{ n: "" }, []],
    [{ n: "1", path: "a b/ü😀" }, [0]],
  ];
  for (const [params, bytes] of bodies) {
    const answer = await upload(its, hashOf(params), Uint8Array.from(bytes));
    assert.deepEqual([answer.status, answer.text], [204, ""]);
    assert.deepEqual(await bytesOf(`${its.path}?${new URLSearchParams(params)}`), bytes);
  }
  the(204, await upload(its, hashOf({ none: "1" })));
  assert.deepEqual(await bytesOf(`${its.path}?none=1`), [], "not even an empty body was sent");
});

test("the query is the question: in any order, of a repeated key the last, blanks kept, names and all", async () => {
  const its = await provider();
  await upload(its, hashOf({ a: "2", b: "", __proto__x: "y", é: "+" }), "found");
  for (const query of ["a=2&b=&__proto__x=y&%C3%A9=%2B", "b&%c3%a9=%2b&a=1&__proto__x=y&a=2"]) {
    assert.equal((await bob.get(`${its.path}?${query}`)).text, "found", query);
  }
  await upload(its, providerQuestion(new Map([["__proto__", "x y"]])).hash, "proto");
  assert.equal((await bob.get(`${its.path}?__proto__=x+y`)).text, "proto");
  const other = await bob.get(`${its.path}?a=2&b=`, { prefer: "wait=0" });
  expectProblem(other, "provider-timeout");
});

test("an answer has the provider's content type, with a charset where it is text", async () => {
  const types: [string | undefined, string][] = [
    [undefined, "application/json"],
    ["text/plain", "text/plain; charset=utf-8"],
    ["text/csv; charset=latin1", "text/csv; charset=latin1"],
    ["image/png", "image/png"],
  ];
  for (const [content_type, expected] of types) {
    const its = await provider({ content_type });
    await upload(its, hashOf(), "{}");
    const { headers } = await bob.get(its.path);
    assert.equal(headers.get("content-type"), expected);
    assert.equal(headers.get("preference-applied"), null, "nothing was waited for");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("content-security-policy") ?? "", /sandbox/);
  }
});

test("many who wait for one answer get it when it is uploaded, and are told that they waited", async () => {
  const its = await provider();
  const reads = Array.from({ length: 10 }, () => bob.get(`${its.path}?a=1`, { prefer: "wait=20" }));
  const plain = bob.get(`${its.path}?a=1`);
  await waiting(11);
  the(204, await upload(its, hashOf({ a: "1" }), "here"));
  for (const read of await Promise.all(reads)) {
    assert.deepEqual([read.status, read.text, read.headers.get("preference-applied")], [200, "here", "wait=20"]);
  }
  const { text, headers } = await plain;
  assert.deepEqual([text, headers.get("preference-applied")], ["here", null], "who asked for no wait is told of none");
  const hit = await bob.get(`${its.path}?a=1`, { prefer: "wait=20" });
  assert.equal(hit.headers.get("preference-applied"), null);
});

test("a read that is in vain ends on time: 504, and when to come again", async () => {
  const its = await provider();
  const startedAt = clock.now();
  const late = await bob.get(its.path, { prefer: "wait=1" });
  const took = clock.now() - startedAt;
  expectProblem(late, "provider-timeout");
  assert.equal(late.headers.get("retry-after"), "2");
  assert.ok(took >= 990 && took < 3_000, `${took} ms`);
  const none = await bob.get(its.path, { prefer: "wait=0" });
  expectProblem(none, "provider-timeout");
  the(204, await upload(its, hashOf(), "late"));
  assert.equal((await bob.get(its.path)).text, "late");
});

test("the longest wait and the usual one are settings", async () => {
  const flags = { "provider-long-poll-default-seconds": "0.1", "provider-long-poll-max-seconds": "1" };
  const quick = await restScene(flags);
  const { full_name } = the(201, await quick.admin.put("/rooms/lab/providers", { category: "a", name: "b" }));
  const startedAt = clock.now();
  expectProblem(await quick.admin.get(`/rooms/lab/providers/${full_name}`), "provider-timeout");
  expectProblem(await quick.admin.get(`/rooms/lab/providers/${full_name}`, { prefer: "wait=50" }), "provider-timeout");
  const took = clock.now() - startedAt;
  assert.ok(took >= 1_090 && took < 4_000, `${took} ms`);
});

test("only its owner and superusers answer for a provider, with a hash and not without", async () => {
  const its = await provider();
  expectProblem(await upload(its, "h", "x", bob), "forbidden");
  expectProblem(await upload(its, "h", "x", await scene.caller("vera", { role: "viewer" })), "forbidden");
  expectProblem(await scene.stranger.post(`/providers/${its.id}/results`, "x"), "unauthorized");
  expectBadFields(await ada.post(`/providers/${its.id}/results`, "x"), "/header/x-request-hash");
  expectBadFields(await ada.post("/providers/x/results", "x", { "x-request-hash": "h" }), "/path/provider_id");
  expectProblem(await upload({ id: "00000000-0000-7000-8000-000000000000" }, "h", "x"), "provider-not-found");
  the(204, await upload(its, hashOf(), "by the superuser", admin));
  assert.equal((await bob.get(its.path)).text, "by the superuser");
});

test("an upload of any content type is taken as it is, also one that is broken JSON", async () => {
  const its = await provider();
  for (const type of [
    "application/json",
    "multipart/form-data",
    "x/y; z=1",
    "application/x-www-form-urlencoded",
    "odd",
  ]) {
    const headers = { "x-request-hash": hashOf(), "content-type": type };
    const sent = await scene.send("POST", `/v1/providers/${its.id}/results`, { token: ada.token, headers, body: "{a" });
    assert.equal(sent.status, 204, type);
    assert.equal((await bob.get(its.path)).text, "{a");
  }
});

test("an upload may be larger than a JSON body, up to a limit of its own", async () => {
  const its = await provider();
  const large = new Uint8Array(4_900_000).map((_, n) => n % 251);
  the(204, await upload(its, hashOf(), large));
  assert.equal(Buffer.compare(Uint8Array.from(await bytesOf(its.path)), large), 0);
  expectProblem(await upload(its, "h", new Uint8Array(5_000_001)), "payload-too-large");
});

test("what a provider answered is forgotten when it is registered again or taken back", async () => {
  const its = await provider({ content_type: "text/plain" });
  await upload(its, hashOf(), "old");
  assert.equal((await bob.get(its.path)).text, "old");
  the(200, await ada.put("/rooms/lab/providers", { ...its.words, content_type: "text/html" }));
  expectProblem(await bob.get(its.path, { prefer: "wait=0" }), "provider-timeout");
  await upload(its, hashOf(), "new");
  the(204, await ada.delete(`/providers/${its.id}`));
  expectProblem(await bob.get(its.path), "provider-not-found");
  the(201, await ada.put("/rooms/lab/providers", its.words));
  expectProblem(await bob.get(its.path, { prefer: "wait=0" }), "provider-timeout");
});

test("a result expires", async () => {
  const short = await restScene({ "provider-result-ttl-seconds": "2" });
  const { full_name, id } = the(201, await short.admin.put("/rooms/lab/providers", { category: "a", name: "b" }));
  the(204, await short.admin.post(`/providers/${id}/results`, "{}", { "x-request-hash": hashOf() }));
  const read = () => short.admin.get(`/rooms/lab/providers/${full_name}`, { prefer: "wait=0" });
  assert.equal((await read()).status, 200);
  await until("the result has expired", async () => (await read()).status === 504, 10_000);
});

test("who waits for a provider when the server stops is told so", async () => {
  const brief = await restScene();
  const { full_name } = the(201, await brief.admin.put("/rooms/lab/providers", { category: "a", name: "b" }));
  const read = brief.admin.get(`/rooms/lab/providers/${full_name}`, { prefer: "wait=30" });
  await until("the read waits", () => brief.serving.operations.waitingReads() === 1);
  await brief.stop();
  expectProblem(await read, "stopping");
});
