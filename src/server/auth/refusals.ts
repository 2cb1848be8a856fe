// What is said to those who are not let in: enough for an honest caller, nothing for one who guesses.

import { Problem } from "../../core/problem.ts";

export function noToken(): Problem {
  return new Problem("unauthorized", "A token is required: send the header Authorization: Bearer <token>");
}

export function badToken(): Problem {
  return new Problem("unauthorized", "The token is not valid");
}

/** For tokens that were good once. */
export function lapsedToken(how: "has expired" | "was revoked" | "is not valid yet"): Problem {
  return new Problem("unauthorized", `The token ${how}`);
}

export function tooManyChecks(): Problem {
  const detail = "Too many tokens are being checked at this moment";
  return new Problem("rate-limited", detail, { retryAfterSeconds: 1 });
}

export function badCode(): Problem {
  return new Problem("unauthorized", "The code is not valid: each is good once, and for ten minutes");
}

export function foreignOrigin(): Problem {
  return new Problem("forbidden", "The header Origin names another site than this server's; cookies are for its own");
}

export function noCsrf(): Problem {
  const detail = "With a session every change needs the header X-Leadhand-Csrf, with the csrf of GET /v1/session";
  return new Problem("forbidden", detail);
}
