// Names are resolved once, where the connection is made, and what was looked at is what is connected to: a name that
// resolves to something else a moment later leads nowhere else.

import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { mayReach, type PushRules } from "../../core/push.ts";

/** All addresses of a name; throws where there are none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** Where the server does not go. */
export class ForbiddenAddress extends Error {
  constructor(host: string) {
    super(`'${host}' leads to an address that is not public`);
    this.name = "ForbiddenAddress";
  }
}

/** One address that is refused is enough: which of several is taken would be chance. */
export function checkedLookup(resolve: Resolve, rules: PushRules): LookupFunction {
  return (host, options, answer) => {
    resolve(host).then(
      (found) => {
        const [first] = found;
        if (first === undefined) answer(new Error(`'${host}' has no address`), "");
        else if (!found.every(({ address }) => mayReach(address, host, rules))) answer(new ForbiddenAddress(host), "");
        else if (options.all === true) answer(null, [...found]);
        else answer(null, first.address, first.family);
      },
      (error) => answer(error as Error, ""),
    );
  };
}
