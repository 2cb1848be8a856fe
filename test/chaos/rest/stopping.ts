// A server that is told to stop in the middle of everything.

import assert from "node:assert/strict";
import { connect } from "node:net";
import type { TestContext } from "node:test";
import { markedPayload } from "../../../src/testing/ledger.ts";
import { until } from "../../../src/testing/until.ts";
import { newSeed } from "../chance.ts";
import { settleAccounts } from "./accounts.ts";
import { type Caller, caller } from "./caller.ts";
import { startLoad } from "./load.ts";
import { type RestServerOptions, restServer } from "./rest-server.ts";
import { slowPost } from "./slow-request.ts";
import { fullName, room } from "./stage.ts";
import { count, type Told } from "./told.ts";

const waiting = 20;
const wait = { prefer: "wait=60" };
const idleJob = { category: "modifiers", name: "Idle" };

export async function stopsInGoodOrder(t: TestContext, options: RestServerOptions): Promise<void> {
  const seed = newSeed();
  t.diagnostic(`seed ${seed}`);
  const told: Told[] = [];
  const faults: string[] = [];
  const server = await restServer(options);
  const onFault = (fault: string): void => void faults.push(fault);
  const ada = caller({ ...server, onFault });
  const idle = await idleWorker(ada);
  const later = await Promise.all(Array.from({ length: waiting }, (_, nth) => laterTask(ada, `later-${nth}`)));
  const looks = later.map((id) => ada.ask("GET", `/tasks/${id}`, { headers: wait }));
  const claims = later.map(() => ada.ask("POST", "/tasks/claim", { body: { worker_id: idle }, headers: wait }));
  const stream = fetch(`${server.url}/v1/tasks/${later[0]}/stream`, {
    headers: { authorization: `Bearer ${server.token}` },
  }).then((answer) => answer.text());
  const payload = markedPayload({ mark: "slow/0", call: "slow", of: 1 });
  const path = `/rooms/${room}/tasks/${fullName("Plain")}`;
  const slow = await slowPost({ ...server, path, body: `{"payload":${payload}}` });
  const begun = looks.length + claims.length + 2;
  // Before the load comes, which would be counted too.
  await until("all of that is in the server's hands", async () => (await inHand(server)) > begun);

  beatFor(t, ada, idle);
  const load = await startLoad({ caller: ada, seed, name: "load", note: (each) => told.push(each), onFault });
  t.after(() => void load.stop());
  const answers = (): number => count(told, "accepted") + count(told, "done");
  await until("the load is under way", () => answers() > 100 || faults.length > 0, 20_000);

  const ended = server.stop();
  await until("nobody else gets in", async () => !(await listens(server.url)));
  const heard = await slow.finish();
  assert.match(heard, /^HTTP\/1\.1 202 /, "what had begun is finished");
  told.push({ what: "accepted", id: /"id":"([^"]+)"/.exec(heard)?.[1] as string, payload });
  for (const reply of await Promise.all([...looks, ...claims])) {
    assert.equal(reply?.status, 200, "no long poll is cut off");
    assert.equal(reply.headers.get("preference-applied"), "wait=60");
    assert.ok(reply.body.task === null || reply.body.status === "pending", "each hears what is known");
  }
  assert.match(await stream, /^id: 1\nevent: task\ndata: .*\n\n$/);
  assert.equal(await ended, 0);

  await server.start();
  for (const id of later) assert.equal((await ada.ask("POST", `/tasks/${id}/cancel`))?.status, 200);
  await load.stop();
  assert.deepEqual(faults.slice(0, 10), []);
  await settleAccounts(t, server, told);
}

/** None of its job's tasks are due. */
async function idleWorker(ada: Caller): Promise<string> {
  const body = { ...idleJob, schema: {} };
  return (await ada.ask("PUT", `/rooms/${room}/jobs`, { body }))?.body.worker_id;
}

function beatFor(t: TestContext, ada: Caller, id: string): void {
  const beats = setInterval(() => void ada.ask("PATCH", `/workers/${id}`), 250);
  t.after(() => clearInterval(beats));
}

/** Nobody runs it yet. */
async function laterTask(ada: Caller, call: string): Promise<string> {
  const body = `{"delay_seconds":600,"payload":${markedPayload({ mark: call, call, of: 1 })}}`;
  const path = `/rooms/${room}/tasks/${room}:${idleJob.category}:${idleJob.name}`;
  return (await ada.ask("POST", path, { body }))?.body.id;
}

/** How many requests wait for their answers; the one that asks is one of them. */
async function inHand({ url, token }: { readonly url: string; readonly token: string }): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  return Number(/^leadhand_http_requests (\d+)$/m.exec(await answer.text())?.[1]);
}

function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}
