// The token with which everything is asked for. Where it is a function it is asked for every request, so that whoever
// made the token can renew it in time; a token that was refused is not tried again.

import { whereabouts } from "./environment.ts";
import { elapsedMs } from "./system.ts";

/** A text, or whatever answers the token of the moment. */
export type TokenSource = string | (() => string | Promise<string>);

export interface Credentials {
  get(): Promise<string>;
  /** After 401: whether there is another token by now. */
  renewed(): Promise<boolean>;
}

/** So long after a change, a refusal may still be about the token before. */
const freshMs = 10_000;

export function credentials(source: TokenSource | undefined): Credentials {
  const given = source ?? whereabouts().token;
  if (given === null || given === "") {
    throw new TypeError("A token is needed: give `token`, or set LEADHAND_TOKEN (the server made one in its data)");
  }
  let last: string | null = null;
  let changedAt = Number.NEGATIVE_INFINITY;

  async function get(): Promise<string> {
    const fresh = typeof given === "string" ? given : await (given as () => string | Promise<string>)();
    if (last !== null && fresh !== last) changedAt = elapsedMs();
    last = fresh;
    return fresh;
  }

  return {
    get,
    async renewed() {
      await get();
      // Several requests may have gone out with the old one, and hear of it one after the other.
      return elapsedMs() - changedAt < freshMs;
    },
  };
}
