// A server that is killed in the middle of an act on many tasks finishes it when it is back, and does nothing twice.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { type Serving, serve, temporaryFolder } from "../leadhand-process.ts";

/** So many that whoever looks sees the act under way. */
const tasks = 6_000;

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Ask = (method: string, path: string, body?: unknown) => Promise<any>;

async function asking({ url }: Serving, data: string): Promise<Ask> {
  const authorization = `Bearer ${(await readFile(join(data, "admin-token"), "utf8")).trim()}`;
  return async (method, path, body) => {
    const init = { method, headers: { authorization }, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const reply = await fetch(`${url}/v1${path}`, init);
    assert.ok(reply.ok, `${method} ${path}: ${reply.status}`);
    return reply.json();
  };
}

/** Begins an act, kills the server when it has come somewhere, and answers the act as it is in the end. */
async function interrupted(
  data: string,
  first: Serving,
  words: object,
): Promise<{ server: Serving; ask: Ask; act: Act }> {
  const begun = await asking(first, data);
  const { id } = await begun("POST", "/tasks/acts", words);
  let seen: Act | null = null;
  await until("the act has come somewhere", async () => {
    seen = await begun("GET", `/acts/${id}`);
    return (seen as Act).done > 0;
  });
  await first.stop("SIGKILL");
  assert.equal((seen as Act | null)?.state, "running", "it was killed in the middle");
  const server = await serve(["--data", data]);
  const ask = await asking(server, data);
  let act: Act = await ask("GET", `/acts/${id}`);
  await until(
    "the act is over",
    async () => {
      act = await ask("GET", `/acts/${id}`);
      return act.state !== "running";
    },
    30_000,
  );
  return { server, ask, act };
}

interface Act {
  readonly state: string;
  readonly matched: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
}

test("a server killed in the middle of an act carries it on when it is back: each task once", async () => {
  const data = await temporaryFolder();
  const server = await serve(["--data", data]);
  const ask = await asking(server, data);
  await ask("PUT", "/rooms/lab/jobs", { category: "modifiers", name: "Rotate" });
  for (let made = 0; made < tasks; made += 1_000) {
    await ask("POST", "/rooms/lab/tasks", { tasks: Array(1_000).fill({ job: "lab:modifiers:Rotate" }) });
  }

  const cancelled = await interrupted(data, server, { act: "cancel", q: "state:open" });
  const { state, matched, done, skipped, failed } = cancelled.act;
  assert.deepEqual([state, matched, done, skipped, failed], ["done", tasks, tasks, 0, 0]);
  assert.equal((await cancelled.ask("GET", "/tasks/count?q=state:cancelled")).count, tasks);

  const retried = await interrupted(data, cancelled.server, { act: "retry", q: "state:cancelled" });
  assert.deepEqual([retried.act.state, retried.act.matched, retried.act.done], ["done", tasks, tasks]);
  const successors = await successorsOf(retried.ask);
  assert.equal(successors.length, tasks, "as many as were retried");
  assert.equal(new Set(successors).size, tasks, "and each is another's");
  assert.equal(await retried.server.stop(), 0);
});

async function successorsOf(ask: Ask): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = ""; ; ) {
    const page = await ask("GET", `/tasks?q=state:pending&payloads=false&limit=500${cursor}`);
    found.push(...page.items.map(({ retry_of }: { retry_of: string }) => retry_of));
    if (page.next_cursor === null) return found;
    cursor = `&cursor=${page.next_cursor}`;
  }
}
