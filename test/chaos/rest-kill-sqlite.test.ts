import { test } from "node:test";
import { killedAgainAndAgain } from "./rest/kill-rounds.ts";

test("whoever calls a server on SQLite over HTTP finds every word kept after twenty kills", async (t) => {
  await killedAgainAndAgain(t, {});
});
