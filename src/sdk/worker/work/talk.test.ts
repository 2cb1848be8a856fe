import assert from "node:assert/strict";
import { test } from "node:test";
import type { Connection } from "./connection.ts";
import type { Outbox } from "./outbox.ts";
import { talk } from "./talk.ts";

test("a worker tells each connection anew how its process is", () => {
  const said: { readonly status?: { readonly worker?: { readonly ramBytes?: number } } }[] = [];
  const connection = { send: (text: string) => said.push(JSON.parse(text)), waitingBytes: () => 0 };
  const words = talk({ outbox: {} as Outbox, ready: () => 1, isDraining: () => false, onGap: () => undefined });
  for (let times = 0; times < 2; times += 1) {
    words.begin(connection as unknown as Connection, "{}");
    words.end();
  }
  assert.equal(said.length, 2);
  for (const { status } of said) assert.ok((status?.worker?.ramBytes ?? 0) > 0);
});
