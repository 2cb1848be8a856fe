import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { after, test } from "node:test";
import { Problem } from "../core/problem.ts";
import { recordedLog } from "../testing/recorded-log.ts";
import { until } from "../testing/until.ts";
import { systemClock } from "./system.ts";
import { type WebServer, type WebServerOptions, webServer } from "./web-server.ts";

const started: WebServer[] = [];
after(() => Promise.all(started.map((server) => server.stop())));

async function serve(some: Partial<WebServerOptions> = {}) {
  const server = webServer({
    host: "127.0.0.1",
    port: 0,
    clock: systemClock(),
    log: recordedLog(),
    ready: () => null,
    metrics: async () => ({ contentType: "text/plain; version=0.0.4", body: "leadhand_x 1\n" }),
    mayRead: () => undefined,
    bodyBytesMax: 1_048_576,
    stopGraceMs: 2_000,
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
  const { url } = await serve({
    mayRead({ headers }) {
      if (headers.authorization !== "Bearer good") throw new Problem("unauthorized", "A token is required");
    },
  });
  const refused = await fetch(`${url}/metrics`);
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get("www-authenticate"), "Bearer");
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: "Bearer good" } });
  assert.equal(await answer.text(), "leadhand_x 1\n");
  assert.equal(answer.headers.get("content-type"), "text/plain; version=0.0.4");
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
  await webServer({ ...unused, host: "127.0.0.1", port: 0 }).stop();
});

const unused = {
  clock: systemClock(),
  log: recordedLog(),
  ready: () => null,
  metrics: () => Promise.reject(new Error("unused")),
  mayRead: () => undefined,
  bodyBytesMax: 1_048_576,
  stopGraceMs: 2_000,
};

test("for whom a proxy asks is believed of those proxies alone that are trusted", async () => {
  const ask = async (trustedProxies: readonly string[] | null) => {
    const doors: WebServerOptions["doors"] = (app) => void app.get("/who", async ({ ip }) => ip);
    const { url } = await serve({ trustedProxies, doors });
    return (await fetch(`${url}/who`, { headers: { "x-forwarded-for": "203.0.113.9, 198.51.100.7" } })).text();
  };
  assert.equal(await ask(null), "127.0.0.1");
  assert.equal(await ask(["10.0.0.0/8"]), "127.0.0.1");
  assert.equal(await ask(["127.0.0.0/8"]), "198.51.100.7");
  assert.equal(await ask(["127.0.0.1", "198.51.100.7"]), "203.0.113.9");
});

test("a request counts as in hand from its arrival to the end of its answer", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { server, url } = await serve({ doors: (app) => void app.get("/slow", () => promise.then(() => "done")) });
  assert.equal(server.requests(), 0);
  const answer = fetch(`${url}/slow`);
  await until("it has arrived", () => server.requests() === 1);
  resolve();
  assert.equal(await (await answer).text(), "done");
  await until("it is over", () => server.requests() === 0);
});

test("a connection whose request is answered during the end is closed, not kept for a next one", async () => {
  let answer: () => void = () => undefined;
  const asked = Promise.withResolvers<void>();
  const { server, url } = await serve({
    stopGraceMs: 60_000,
    doors: (app) =>
      void app.get("/later", async () => {
        asked.resolve();
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return "late";
      }),
  });
  const agent = new Agent({ keepAlive: true });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    request(`${url}/later`, { agent }, (reply) => reply.resume().once("end", () => resolve(reply.statusCode)))
      .once("error", reject)
      .end();
  });
  await asked.promise;
  const stopped = server.stop();
  setImmediate(() => setImmediate(answer));
  assert.equal(await answered, 200);
  await stopped;
});
