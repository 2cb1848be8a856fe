import assert from "node:assert/strict";
import { test } from "node:test";
import { restApi } from "../rest-api.ts";
import { steadyApi } from "../steady-api.ts";
import { elapsedMs } from "../system.ts";
import { claimLoop } from "./claim-loop.ts";
import { hands } from "./hands.ts";
import { strays } from "./strays.ts";

for (const status of [403, 405, 502]) {
  test(`claims that are answered with a page of ${status}, and nothing else is, come ever more slowly`, async () => {
    const over = new AbortController();
    const claimedAt: number[] = [];
    const fetch = async (_url: unknown, init?: RequestInit) => {
      if (init?.method !== "POST") return Response.json({ items: [] });
      claimedAt.push(elapsedMs());
      if (claimedAt.length === 5) over.abort();
      return new Response("<p>No</p>", { status, headers: { "content-type": "text/html" } });
    };
    const api = steadyApi({
      api: restApi({ url: "http://server", fetch: fetch as typeof globalThis.fetch, getHeaders: () => ({}) }),
      credentials: { renewed: async () => false },
    });
    const inHand = hands(1);
    await claimLoop({
      ...{ api, hands: inHand, strays: strays(api, inHand), worker: () => "w", signal: over.signal },
      take: () => assert.fail("nothing was claimed"),
      hold() {},
      onGone: () => assert.fail("nobody is gone"),
    });
    // Half of 50, 100, 200 and 400 ms at least.
    const [first = 0, last = 0] = [claimedAt[0], claimedAt.at(-1)];
    assert.ok(last - first >= 370, `${last - first} ms`);
  });
}
