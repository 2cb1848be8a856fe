import assert from "node:assert/strict";
import { test } from "node:test";
import { exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { manualClock, worldStart } from "../../testing/manual-clock.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { type Authenticated, authenticator } from "./authenticator.ts";
import type { JwtConfig } from "./check-jwt.ts";

const secret = "a secret of more than thirty-two bytes, as it should be";
const now = worldStart / 1_000;

function scene(config: Partial<JwtConfig> = {}) {
  const clock = manualClock();
  const log = recordedLog();
  const none = { jwtSecret: secret, jwksUrl: null, jwtAudience: null, jwtSuperuserClaim: "su" };
  const door = authenticator({ store: memoryStore(), clock, log, config: { ...none, ...config } });
  return { clock, log, ask: async (token: string) => door.authenticate(`Bearer ${token}`), door };
}

function signed(claims: JWTPayload, key: string | Uint8Array = secret, algorithm = "HS256"): Promise<string> {
  const bytes = typeof key === "string" ? new TextEncoder().encode(key) : key;
  return new SignJWT(claims).setProtectedHeader({ alg: algorithm }).sign(bytes);
}

function isRefused(answer: Authenticated, why = /^The token is not valid$/): void {
  assert(answer instanceof Problem, "it was let in");
  assert.equal(answer.code, "unauthorized");
  assert.match(answer.message, why);
}

function isLetIn(answer: Authenticated): asserts answer is Principal {
  assert(!(answer instanceof Problem), String(answer));
}

test("a JWT lets in as its subject, a user without limits", async () => {
  const { ask } = scene();
  const answer = await ask(await signed({ sub: "ada", exp: now + 3_600, aud: "fastapi-users:auth" }));
  assert.deepEqual(answer, { user: "ada", role: "user", rooms: null, jobs: null, token: null });
});

test("only the JSON value true in the superuser claim makes an admin", async () => {
  const roleOf = async (claims: JWTPayload, config: Partial<JwtConfig> = {}) => {
    const answer = await scene(config).ask(await signed({ sub: "ada", ...claims }));
    isLetIn(answer);
    return answer.role;
  };
  assert.equal(await roleOf({ su: true }), "admin");
  for (const su of [false, 1, "true", [true], { a: true }, null]) assert.equal(await roleOf({ su }), "user");
  assert.equal(await roleOf({ admin: true }), "user");
  assert.equal(await roleOf({ admin: true }, { jwtSuperuserClaim: "admin" }), "admin");
  assert.equal(await roleOf({ su: true }, { jwtSuperuserClaim: "admin" }), "user");
  assert.equal(await roleOf({}, { jwtSuperuserClaim: "constructor" }), "user");
});

test("without a subject that can be a user there is nobody to let in", async () => {
  const { ask } = scene();
  for (const sub of [undefined, "", 7, null, ["ada"], "a\u0000b", "é".repeat(128)]) {
    const claims = sub === undefined ? { su: true } : { su: true, sub };
    isRefused(await ask(await signed(claims as JWTPayload)));
  }
  isLetIn(await ask(await signed({ sub: "é".repeat(127) })));
});

test("a JWT ends at its time, give or take five seconds, remembered or not", async () => {
  const { ask, clock, door } = scene();
  const token = await signed({ sub: "ada", exp: now + 3 });
  isLetIn(await ask(token));
  clock.advance(2_999);
  assert(!(door.authenticate(`Bearer ${token}`) instanceof Promise), "it is remembered");
  clock.advance(1);
  assert(door.authenticate(`Bearer ${token}`) instanceof Promise, "it is not remembered beyond its end");
  clock.advance(4_999);
  isLetIn(await ask(token));
  clock.advance(1);
  isRefused(await ask(token), /^The token has expired$/);
});

test("a JWT begins at its time, give or take five seconds", async () => {
  const { ask, clock } = scene();
  const token = await signed({ sub: "ada", nbf: now + 10 });
  isRefused(await ask(token), /^The token is not valid yet$/);
  clock.advance(5_000);
  isLetIn(await ask(token));
});

test("a time that is no number is refused", async () => {
  const { ask } = scene();
  for (const exp of ["soon", null, true]) isRefused(await ask(await signed({ sub: "ada", exp } as never)));
});

test("the audience counts only where one is configured", async () => {
  const { ask } = scene({ jwtAudience: "leadhand" });
  isLetIn(await ask(await signed({ sub: "ada", aud: "leadhand" })));
  isLetIn(await ask(await signed({ sub: "ada", aud: ["other", "leadhand"] })));
  for (const aud of ["other", [], ["Leadhand"]]) isRefused(await ask(await signed({ sub: "ada", aud })));
  isRefused(await ask(await signed({ sub: "ada" })));
});

test("a forged JWT is refused: another secret, a changed claim, a cut signature, none at all", async () => {
  const { ask } = scene();
  const token = await signed({ sub: "ada" });
  const [header, , signature] = token.split(".") as [string, string, string];
  const claims = Buffer.from(JSON.stringify({ sub: "ada", su: true })).toString("base64url");
  isRefused(await ask(await signed({ sub: "ada" }, `${secret}!`)));
  for (const forged of [`${header}.${claims}.${signature}`, token.slice(0, -1), `${header}.${claims}.`, "a.b.c"]) {
    isRefused(await ask(forged), /./);
  }
});

test("alg none is refused, however it is written", async () => {
  const { ask } = scene();
  const unsecured = new UnsecuredJWT({ sub: "ada", su: true }).encode();
  isRefused(await ask(unsecured));
  const claims = unsecured.split(".")[1];
  for (const alg of ["none", "None", "NONE", "", null, 7, ["HS256"]]) {
    const header = Buffer.from(JSON.stringify({ alg })).toString("base64url");
    isRefused(await ask(`${header}.${claims}.`));
    isRefused(await ask(`${header}.${claims}.AAAA`));
  }
});

test("our secret is for HS256 alone", async () => {
  const { ask } = scene();
  for (const alg of ["HS384", "HS512"]) isRefused(await ask(await signed({ sub: "ada" }, secret.repeat(2), alg)));
});

test("a public key used as a secret opens nothing", async () => {
  const { publicKey } = await generateKeyPair("RS256", { extractable: true });
  const pem = await exportSPKI(publicKey);
  isRefused(await scene().ask(await signed({ sub: "ada" }, pem)));
  const { ask } = scene({ jwtSecret: null, jwksUrl: "http://127.0.0.1:1/jwks" });
  isRefused(await ask(await signed({ sub: "ada" }, pem)));
});

test("where no JWTs are configured every JWT is refused", async () => {
  const { ask } = scene({ jwtSecret: null });
  isRefused(await ask(await signed({ sub: "ada" })));
});

test("a checked JWT is remembered for five seconds, a refused one is not", async () => {
  const { door, clock } = scene();
  const header = `Bearer ${await signed({ sub: "ada" })}`;
  const first = await door.authenticate(header);
  assert.equal(door.authenticate(header), first);
  clock.advance(5_000);
  assert(door.authenticate(header) instanceof Promise);
  const forged = `Bearer ${await signed({ sub: "ada" }, "another")}`;
  isRefused(await door.authenticate(forged));
  assert(door.authenticate(forged) instanceof Promise);
});

test("neither a JWT nor the secret reaches the log, only why it was refused", async () => {
  const { ask, log } = scene({ jwtAudience: "leadhand" });
  await ask(await signed({ sub: "ada", aud: "other" }));
  await ask(await signed({ sub: "ada" }, "another"));
  assert.equal(log.lines.length, 2);
  assert.doesNotMatch(JSON.stringify(log.lines), /eyJ|ada|a secret/);
  assert.deepEqual(log.lines[0]?.fields, { code: "ERR_JWT_CLAIM_VALIDATION_FAILED", claim: "aud" });
});
