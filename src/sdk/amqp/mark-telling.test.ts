import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedLog } from "../../testing/recorded-log.ts";
import { ServerProblem } from "../problem.ts";
import type { RestReply } from "../rest-api.ts";
import type { SteadyApi, SteadyAsk } from "../steady-api.ts";
import { type MessageMark, type Standing, tellMarks } from "./mark-telling.ts";

/** A server that refuses what `refusal` names a status for, by this code. */
function aServer(refusal: (body: string) => number | null, type = "no") {
  const bodies: string[] = [];
  const keys: (string | undefined)[] = [];
  const standings: Standing[] = [];
  const api: SteadyApi = {
    async request<T>(_method: string, _path: string, { body, headers }: SteadyAsk = {}) {
      const refused = refusal(body as string);
      if (refused !== null) throw new ServerProblem({ type, title: "No", status: refused });
      bodies.push(body as string);
      keys.push(headers?.["idempotency-key"]);
      return { status: 200, headers: new Headers(), body: { status: "running" }, text: "" } as unknown as RestReply<T>;
    },
  };
  const parts = { api, log: recordedLog(), signal: new AbortController().signal };
  const tell = (marks: readonly MessageMark[]) =>
    tellMarks({ ...parts, onStanding: (_parent, standing) => void standings.push(standing) }, "parent", marks);
  return { bodies, keys, standings, tell };
}

const done = (index: number): MessageMark => ({ index, status: "done" });

test("marks are told together, and the server says whether their parent is open", async () => {
  const { bodies, standings, tell } = aServer(() => null);
  assert.deepEqual(await tell([done(0), { index: null, status: "done" }]), [true, true]);
  assert.deepEqual(bodies, ['{"marks":[{"index":0,"status":"done"},{"status":"done"}]}']);
  assert.deepEqual(standings, ["open"]);
});

test("where a mark has no index its request has a key, and no two of them have the same", async () => {
  const { keys, tell } = aServer((body) => (body.includes('"index":1,') ? 422 : null));
  await tell([done(0), done(2)]);
  await tell([{ index: null, status: "done" }]);
  await tell([{ index: null, status: "done" }, done(1), { index: null, status: "failed" }]);
  assert.equal(keys[0], undefined);
  const given = keys.filter((key) => key !== undefined);
  assert.deepEqual([given.length, new Set(given).size], [3, 3]);
});

test("one mark that the server cannot read is refused alone", async () => {
  for (const status of [413, 422]) {
    const { bodies, standings, tell } = aServer((body) => (body.includes('"index":1,') ? status : null));
    assert.deepEqual(await tell([done(0), done(1), done(2)]), [true, false, true]);
    assert.equal(bodies.length, 2);
    assert.deepEqual(standings, ["open", "open"]);
  }
});

test("a parent that is gone needs no marks; any other refusal is told to nobody as done", async () => {
  const gone = aServer(() => 404, "https://leadhand.dev/problems/task-not-found");
  assert.deepEqual(await gone.tell([done(0), done(1)]), [true, true]);
  assert.deepEqual(gone.standings, ["gone"]);
  for (const status of [401, 403, 404, 409, 501]) {
    const { tell, standings } = aServer(() => status);
    await assert.rejects(tell([done(0), done(1)]), { name: "ServerProblem", status });
    assert.deepEqual(standings, []);
  }
});

test("long words are cut, and many of them go in more than one request", async () => {
  const { bodies, tell } = aServer(() => null);
  const failed: MessageMark = { index: 0, status: "failed", error: { code: null, message: "😀".repeat(10_000) } };
  const marks = Array.from({ length: 1_000 }, () => failed);
  assert.equal((await tell(marks)).length, 1_000);
  assert.ok(bodies.length > 1);
  for (const body of bodies) assert.ok(Buffer.byteLength(body) < 3_000_000);
  assert.ok(JSON.parse(bodies[0] as string).marks[0].error.message.length <= 500);
});
