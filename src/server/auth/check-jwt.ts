// JWTs: signed with our secret (HS256), or with a private key whose public half the issuer publishes. Which of the two
// is meant follows from the algorithm, and each way takes its own algorithms alone: a public key is never a secret.

import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Principal } from "../../core/access.ts";
import { nameBytesMax } from "../../core/name.ts";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Config } from "../settings/settings.ts";
import { type Checked, notRemembered, rememberMs } from "./check.ts";
import { keySet } from "./key-set.ts";
import { badToken, lapsedToken } from "./refusals.ts";

export type JwtConfig = Pick<Config, "jwtSecret" | "jwksUrl" | "jwtAudience" | "jwtSuperuserClaim">;

interface Around {
  readonly config: JwtConfig;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
}

const symmetric = ["HS256"];
const asymmetric = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** Clocks differ a little. */
const leewaySeconds = 5;

const shape = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export function isJwt(text: string): boolean {
  return shape.test(text);
}

export function jwtChecker({ config, clock, log }: Around): (token: string) => Promise<Checked> {
  const secret = config.jwtSecret === null ? null : secretKey(config.jwtSecret);
  const keys = config.jwksUrl === null ? null : keySet({ url: config.jwksUrl, clock, log });

  function keyFor(algorithm: string | null): { key: JWTVerifyGetKey; algorithms: string[] } | null {
    if (algorithm === "HS256") return secret === null ? null : { key: secret, algorithms: symmetric };
    return keys === null ? null : { key: keys, algorithms: asymmetric };
  }

  return async (token) => {
    const chosen = keyFor(algorithmOf(token));
    if (chosen === null) return { answer: badToken(), until: notRemembered };
    const now = clock.now();
    try {
      const { payload } = await jwtVerify(token, chosen.key, {
        ...{ algorithms: chosen.algorithms, currentDate: new Date(now), clockTolerance: leewaySeconds },
        ...(config.jwtAudience === null ? {} : { audience: config.jwtAudience }),
      });
      const answer = principalIn(payload, config.jwtSuperuserClaim);
      const end = payload.exp === undefined ? Number.POSITIVE_INFINITY : payload.exp * 1_000;
      return { answer: answer ?? badToken(), until: answer === null ? notRemembered : Math.min(now + rememberMs, end) };
    } catch (error) {
      return { answer: refusalOf(error, log), until: notRemembered };
    }
  };
}

/** When a JWT ends by itself, of one that was found good. */
export function endOfJwt(token: string): number | null {
  const { exp } = decodeJwt(token);
  return exp === undefined ? null : exp * 1_000;
}

/** Imported once; the import is most of the cost of a check. */
function secretKey(secret: string): JWTVerifyGetKey {
  const how = { name: "HMAC", hash: "SHA-256" };
  const key = crypto.subtle.importKey("raw", new TextEncoder().encode(secret), how, false, ["verify"]);
  return () => key;
}

function algorithmOf(token: string): string | null {
  try {
    const { alg } = decodeProtectedHeader(token);
    return typeof alg === "string" ? alg : null;
  } catch {
    return null;
  }
}

/** Null where the token does not say who it speaks for. */
function principalIn(payload: JWTPayload, superuserClaim: string): Principal | null {
  const user: unknown = payload.sub;
  if (typeof user !== "string" || user === "" || user.includes("\u0000")) return null;
  if (Buffer.byteLength(user) > nameBytesMax) return null;
  const role = payload[superuserClaim] === true ? "admin" : "user";
  return Object.freeze({ user, role, rooms: null, jobs: null, token: null });
}

function refusalOf(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error;
  // The signature was good: only the holder of a real token learns this much.
  if (error instanceof errors.JWTExpired) return lapsedToken("has expired");
  const claim = error instanceof errors.JWTClaimValidationFailed ? error.claim : null;
  if (claim === "nbf") return lapsedToken("is not valid yet");
  if (error instanceof errors.JOSEError) log.debug("A JWT was refused", { code: error.code, claim });
  else log.warn("A JWT could not be checked", { error });
  return badToken();
}
