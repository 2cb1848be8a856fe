import type { Principal } from "../../core/access.ts";
import type { Problem } from "../../core/problem.ts";

/** What came of looking at a token, and how long it may be remembered. */
export interface Checked {
  readonly answer: Principal | Problem;
  /** The first moment at which it has to be looked at again. */
  readonly until: number;
}

/** The longest time for which an answer is remembered: so long a revoked token may still be good. */
export const rememberMs = 5_000;

/** For answers about this moment alone. */
export const notRemembered = 0;
