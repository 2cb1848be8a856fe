import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { after, test } from "node:test";
import { Problem } from "../core/problem.ts";
import { recordedLog } from "../testing/recorded-log.ts";
import { type HealthServer, type HealthServerOptions, healthServer } from "./health.ts";
import { systemClock } from "./system.ts";

const started: HealthServer[] = [];
after(() => Promise.all(started.map((server) => server.stop())));

async function serve(some: Partial<HealthServerOptions> = {}) {
  const server = healthServer({
    host: "127.0.0.1",
    port: 0,
    clock: systemClock(),
    log: recordedLog(),
    ready: () => null,
    metrics: async () => ({ contentType: "text/plain; version=0.0.4", body: "leadhand_x 1\n" }),
    mayRead: () => true,
    ...some,
  });
  started.push(server);
  return { server, ...(await server.start()) };
}

test("the process answers that it is alive, with and without a slash", async () => {
  const { url } = await serve({ ready: () => new Problem("stopping", "The server is stopping") });
  for (const path of ["/health", "/health/", "/health?verbose"]) {
    const answer = await fetch(`${url}${path}`);
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), { status: "ok" });
  }
});

test("readiness is 200 while the server can work, and a problem while it cannot", async () => {
  let problem: Problem | null = null;
  const { url } = await serve({ ready: () => problem });
  assert.equal((await fetch(`${url}/health/ready`)).status, 200);
  problem = new Problem("store-unavailable", "The database does not answer");
  const answer = await fetch(`${url}/health/ready`);
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get("content-type"), "application/problem+json");
  assert.deepEqual(await answer.json(), problem.toBody());
});

test("metrics are for those who may read them", async () => {
  const { url } = await serve({ mayRead: ({ authorization }) => authorization === "Bearer good" });
  const refused = await fetch(`${url}/metrics`);
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get("www-authenticate"), "Bearer");
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: "Bearer good" } });
  assert.equal(await answer.text(), "leadhand_x 1\n");
  assert.equal(answer.headers.get("content-type"), "text/plain; version=0.0.4");
});

test("who asks for metrics is known by the connection, and by what a proxy says", async () => {
  const callers: unknown[] = [];
  const mayRead: HealthServerOptions["mayRead"] = (caller) => callers.push(caller) > 0;
  const { url } = await serve({ mayRead });
  await fetch(`${url}/metrics`);
  for (const header of ["forwarded", "x-forwarded-for", "x-real-ip"]) {
    await fetch(`${url}/metrics`, { headers: { [header]: "192.0.2.1" } });
  }
  const caller = { authorization: undefined, address: "127.0.0.1" };
  assert.deepEqual(callers, [
    { ...caller, forwarded: false },
    { ...caller, forwarded: true },
    { ...caller, forwarded: true },
    { ...caller, forwarded: true },
  ]);
});

test("HEAD has the head of GET", async () => {
  const { url } = await serve();
  const [head, get] = await Promise.all([fetch(`${url}/metrics`, { method: "HEAD" }), fetch(`${url}/metrics`)]);
  assert.equal(head.status, 200);
  assert.equal(head.headers.get("content-length"), get.headers.get("content-length"));
  assert.equal(await head.text(), "");
});

test("other paths are a 404, other methods a 405, both as problems", async () => {
  const { url } = await serve();
  for (const path of ["/", "/healthy", "/health/ready/", "/constructor", "/__proto__"]) {
    const answer = await fetch(`${url}${path}`);
    assert.equal(answer.status, 404, path);
    assert.equal(((await answer.json()) as { type: string }).type, "/v1/problems/not-found");
  }
  const posted = await fetch(`${url}/health`, { method: "POST", body: "x".repeat(100_000) });
  assert.equal(posted.status, 405);
  assert.equal(posted.headers.get("allow"), "GET, HEAD");
});

test("a probe that fails is a 500 without details, and is logged", async () => {
  const log = recordedLog();
  const { url } = await serve({ log, metrics: () => Promise.reject(new Error("secret detail")) });
  const answer = await fetch(`${url}/metrics`);
  assert.equal(answer.status, 500);
  assert.doesNotMatch(await answer.text(), /secret detail/);
  assert.equal(log.lines.length, 1);
});

test("a taken port is refused with a word on what to do", async () => {
  const { port } = await serve();
  await assert.rejects(serve({ port }), {
    message: `Port ${port} of 127.0.0.1 is taken by another process; choose another with --port or LEADHAND_PORT`,
  });
});

test("stopping closes idle connections and may be asked for twice, or before the start", async () => {
  const { server, port } = await serve();
  const agent = new Agent({ keepAlive: true });
  await new Promise<void>((resolve, reject) => {
    const sent = request({ port, path: "/health", agent }, (answer) => answer.resume().on("end", resolve));
    sent.on("error", reject).end();
  });
  const clock = systemClock();
  const begun = clock.now();
  await Promise.all([server.stop(), server.stop()]);
  assert.ok(clock.now() - begun < 1_000);
  await assert.rejects(fetch(`http://127.0.0.1:${port}/health`));
  await healthServer({ ...unused, host: "127.0.0.1", port: 0 }).stop();
});

const unused = {
  clock: systemClock(),
  log: recordedLog(),
  ready: () => null,
  metrics: () => Promise.reject(new Error("unused")),
  mayRead: () => false,
};
