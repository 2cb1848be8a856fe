// The trial of a server: requests of every kind, by callers of every kind, and what must come of them.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { routeList } from "../../../src/protocol/rest/routes.ts";
import type { RestScene } from "../scene.ts";
import { throwRequests } from "./throwing.ts";

/** No provider of these trials ever answers when it is asked; the target of the push job refuses at once. */
export const withoutWaits = { "provider-long-poll-default-seconds": "0", "push-allow-hosts": "127.0.0.1" };

export async function trial(t: TestContext, scene: RestScene, count: number, seed: number): Promise<void> {
  t.diagnostic(`seed ${seed}`);
  const callers = await Promise.all([
    scene.caller("ada"),
    scene.caller("bob"),
    scene.caller("vera", { role: "viewer" }),
    scene.caller("lina", { rooms: ["lab"], jobs: ["lab:*", "@global:modifiers:*"] }),
  ]);
  const tokens = [scene.admin.token, ...callers.map(({ token }) => token), null, `lh_${"x".repeat(40)}`];
  const rooms = ["lab", "@global", "attic"];
  const { answers, faults } = await throwRequests({ url: scene.url, tokens, rooms, seed, count });
  assert.deepEqual(faults, []);
  const reached = new Set([...answers.keys()].filter((key) => / 2\d\d$/.test(key)).map((key) => key.split(" ")[0]));
  // Tasks of workers that came by this door live by their worker's beats, and have no lease to prolong.
  reached.add("extendTask");
  // Only targets of push jobs are sent a lease that proves a callback; test/push has some.
  reached.add("callBack");
  // No list that is learnt from names commands, and idle workers leave no plan to stop; test/control has some.
  reached.add("ackCommand").add("stopDrain");
  // Tries to sign in that fail are soon too many for one address, and tokens do not sign out; test/rest/sessions does both.
  reached.add("beginSession").add("endSession");
  const unreached = routeList.map(({ id }) => id).filter((id) => !reached.has(id));
  assert.deepEqual(unreached, [], "every route was asked for something that it does");
}
