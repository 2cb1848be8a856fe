import { test } from "node:test";
import { killedOnBothSides } from "./sdk/load.ts";

test("with server and workers of the SDK killed again and again, each task comes to one end (SQLite)", async (t) => {
  await killedOnBothSides(t, {});
});
