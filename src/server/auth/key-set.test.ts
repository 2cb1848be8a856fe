import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { Problem } from "../../core/problem.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { type Authenticated, authenticator } from "./authenticator.ts";

interface Key {
  readonly jwk: JWK;
  sign(claims?: Readonly<Record<string, unknown>>): Promise<string>;
}

async function aKey(kid: string, alg = "ES256"): Promise<Key> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, use: "sig" };
  return {
    jwk,
    sign: (claims = { sub: "ada" }) => new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(privateKey),
  };
}

const stops: (() => void)[] = [];
after(() => {
  for (const stop of stops) stop();
});

/** An issuer that publishes keys; what it answers can be changed. */
async function anIssuer(...keys: readonly Key[]) {
  const issuer = { asked: 0, answer: publishing(...keys), url: "" };
  const server = createServer((request, response) => {
    issuer.asked += 1;
    issuer.answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  issuer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
  return issuer;
}

function publishing(...keys: readonly Key[]): RequestListener {
  return (_, response) => response.end(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }));
}

function scene(jwksUrl: string) {
  const clock = manualClock();
  const log = recordedLog();
  const config = { jwtSecret: null, jwksUrl, jwtAudience: null, jwtSuperuserClaim: "su" };
  const door = authenticator({ store: memoryStore(), clock, log, config });
  return { clock, log, ask: async (token: string) => door.authenticate(`Bearer ${token}`) };
}

const codeOf = (answer: Authenticated) => (answer instanceof Problem ? answer.code : answer.user);

test("a JWT signed with a published key lets in, and the keys are fetched once", async () => {
  for (const alg of ["RS256", "PS256", "ES256", "EdDSA"]) {
    const key = await aKey("k1", alg);
    const issuer = await anIssuer(key);
    const { ask } = scene(issuer.url);
    const answers = await Promise.all([ask(await key.sign()), ask(await key.sign({ sub: "bob" }))]);
    assert.deepEqual(answers.map(codeOf), ["ada", "bob"], alg);
    assert.equal(issuer.asked, 1);
  }
});

test("a key of the same id that was not published opens nothing", async () => {
  const issuer = await anIssuer(await aKey("k1"));
  const { ask } = scene(issuer.url);
  assert.equal(codeOf(await ask(await (await aKey("k1")).sign())), "unauthorized");
  assert.equal(codeOf(await ask(await (await aKey("k1", "RS256")).sign())), "unauthorized");
});

test("a JWT under a new key lets in as soon as the issuer publishes it, and the old key goes", async () => {
  const [before, next] = [await aKey("k1"), await aKey("k2")];
  const issuer = await anIssuer(before);
  const { ask, clock } = scene(issuer.url);
  assert.equal(codeOf(await ask(await before.sign())), "ada");
  issuer.answer = publishing(next);
  clock.advance(5_000);
  assert.equal(codeOf(await ask(await next.sign())), "ada");
  assert.equal(issuer.asked, 2);
  assert.equal(codeOf(await ask(await before.sign())), "unauthorized");
});

test("invented key ids make the issuer no work", async () => {
  const key = await aKey("k1");
  const issuer = await anIssuer(key);
  const { ask, clock } = scene(issuer.url);
  await ask(await key.sign());
  for (let n = 0; n < 20; n += 1) {
    assert.equal(codeOf(await ask(await (await aKey(`invented-${n}`)).sign())), "unauthorized");
  }
  assert.equal(issuer.asked, 1, "not within five seconds");
  clock.advance(5_000);
  const strangers = await Promise.all(["a", "b", "c"].map((kid) => aKey(kid)));
  await Promise.all(strangers.map(async (stranger) => ask(await stranger.sign())));
  assert.equal(issuer.asked, 2, "and then once for all");
});

test("a key that was withdrawn is good for no more than ten minutes", async () => {
  const [key, other] = [await aKey("k1"), await aKey("k2")];
  const issuer = await anIssuer(key);
  const { ask, clock } = scene(issuer.url);
  await ask(await key.sign());
  issuer.answer = publishing(other);
  clock.advance(10 * 60_000 - 1);
  assert.equal(codeOf(await ask(await key.sign())), "ada");
  clock.advance(1);
  assert.equal(codeOf(await ask(await key.sign({ sub: "bob" }))), "unauthorized");
});

test("an issuer that is away costs nobody who is known for an hour, then it is a 503, told in the log", async () => {
  const key = await aKey("k1");
  const issuer = await anIssuer(key);
  const { ask, clock, log } = scene(issuer.url);
  await ask(await key.sign());
  issuer.answer = (_, response) => response.writeHead(500).end();
  clock.advance(59 * 60_000);
  assert.equal(codeOf(await ask(await key.sign())), "ada");
  assert.match(JSON.stringify(log.lines), /cannot be fetched/);
  clock.advance(60_000);
  const answer = await ask(await key.sign());
  assert(answer instanceof Problem);
  assert.deepEqual([answer.code, answer.status, answer.retryAfterSeconds], ["keys-unavailable", 503, 5]);
  issuer.answer = publishing(key);
  assert.equal(codeOf(await ask(await key.sign())), "keys-unavailable", "not asked again at once");
  clock.advance(5_000);
  assert.equal(codeOf(await ask(await key.sign())), "ada");
});

test("what is no key set is as good as none", async () => {
  const key = await aKey("k1");
  const answers: RequestListener[] = [
    (_, response) => response.end("<html>"),
    (_, response) => response.end('{"keys":"none"}'),
    (_, response) => response.writeHead(302, { location: "/elsewhere" }).end(),
    (_, response) => response.end(JSON.stringify({ keys: [key.jwk], more: "x".repeat(2 ** 20) })),
    (request) => request.socket.destroy(),
  ];
  for (const answer of answers) {
    const issuer = await anIssuer();
    issuer.answer = answer;
    assert.equal(codeOf(await scene(issuer.url).ask(await key.sign())), "keys-unavailable");
  }
});

test("a secret among the published keys opens nothing", async () => {
  const k = Buffer.from("a secret of thirty-two bytes, or so").toString("base64url");
  const issuer = await anIssuer();
  issuer.answer = (_, response) => response.end(JSON.stringify({ keys: [{ kty: "oct", k, kid: "k1", alg: "HS256" }] }));
  const { ask } = scene(issuer.url);
  const header = { alg: "HS256", kid: "k1" };
  const token = await new SignJWT({ sub: "ada" }).setProtectedHeader(header).sign(Buffer.from(k, "base64url"));
  assert.equal(codeOf(await ask(token)), "unauthorized");
});
