// Tokens that are for one room, against every route there is, on a server that has much to tell of another one.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { expectProblem } from "./expect-problem.ts";
import { type Ask, asksAbout } from "./limited/asks.ts";
import { fillVault, mark, type Names, room, sharedJob, type Vault } from "./limited/vault.ts";
import { type Caller, type Reply, restScene, type SendOptions } from "./scene.ts";
import { signIn } from "./signed-in.ts";
import { the } from "./workshop.ts";

// No worker beats here, and none is to be lost meanwhile.
const scene = await restScene({ "worker-timeout-seconds": "600" });
const { admin, caller } = scene;
type Asker = (ask: Ask) => Promise<Reply>;

const limits = { rooms: ["den"] };
const carl = await caller("carl", limits);
const askers: Readonly<Record<string, Asker>> = {
  "a user": asking({ token: carl.token }),
  "a viewer": asking({ token: (await caller("vic", { ...limits, role: "viewer" })).token }),
  "a user of some jobs": asking({ token: (await caller("jo", { ...limits, jobs: ["den:*", "@global:*"] })).token }),
  "a session": await session(carl),
};

function asking(options: SendOptions): Asker {
  return ({ method, target, body, headers }) =>
    scene.send(method, target, {
      ...options,
      headers: { ...options.headers, ...headers },
      ...(body !== undefined && { body }),
    });
}

async function session(who: Caller): Promise<Asker> {
  const { cookie, csrf } = await signIn(scene, who);
  return asking({ headers: { cookie, "x-leadhand-csrf": csrf, origin: scene.url } });
}

/** What he may see: a job, a worker, and a task of each state. */
async function furnishDen(): Promise<void> {
  the(201, await admin.put("/rooms/@global/jobs", { category: "modifiers", name: "Shared" }));
  const { worker_id } = the(201, await carl.put("/rooms/den/jobs", { category: "modifiers", name: "Rotate" }));
  for (let n = 0; n < 4; n += 1) the(202, await carl.post("/rooms/den/tasks/den:modifiers:Rotate", {}));
  the(202, await carl.post(`/rooms/den/tasks/${sharedJob}`, {}));
  const { tasks } = the(200, await carl.post("/tasks/claim", { worker_id, limit: 2, start: true }));
  for (const [nth, status] of ["completed", "failed"].entries()) {
    const { id, lease_token } = tasks[nth];
    the(200, await carl.patch(`/tasks/${id}`, { status, lease_token, error: "mine" }));
  }
}

/** Times pass, whatever happens. */
function timeless(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "then");
}

const ours = { room_id: ["den"], room: ["den"], job_name: ["den:modifiers:Rotate"] };
let vault: Vault;
const told = new Map<string, string[]>();

/** What lists and sums say to one who names nothing of the other room. */
async function counted(ask: Asker): Promise<string[]> {
  const lists = asksAbout({ ...nobody(), ...ours }).filter(({ method }) => method === "GET");
  const answers: string[] = [];
  for (const each of lists.filter(({ route }) => !uncounted.includes(route))) {
    const { text } = await ask(each);
    answers.push(`${each.target} ${timeless(summedUp.includes(each.route) ? sums(text) : text)}`);
  }
  return answers;
}

/** How the servers are, and how many wait in queues that are everybody's. */
const uncounted = ["listNodes", "listQueues"];
/** Beside their sums they tell of the last seconds, which are over at the next look. */
const summedUp = ["getPulse", "listJobStatistics", "listFailures"];

function sums(text: string): string {
  const { totals = null, items = [], fleet, alerts } = JSON.parse(text);
  const lasting = items.map(({ trend, waiting, running, oldest_ready_at, ...sum }: Record<string, unknown>) => sum);
  return JSON.stringify([totals, fleet, alerts, lasting]);
}

before(async () => {
  await furnishDen();
  for (const [name, ask] of Object.entries(askers)) told.set(name, await counted(ask));
  vault = await fillVault(scene);
});

for (const [name, ask] of Object.entries(askers)) {
  test(`${name} counts nothing of another room`, async () => {
    assert.deepEqual(await counted(ask), told.get(name));
  });

  test(`${name} who asks for what is there is answered as one who asks for what is nowhere`, async () => {
    const [there, nowhere] = [asksAbout(vault.names), asksAbout(invented(vault.names))];
    for (const [nth, about] of there.entries()) {
      const elsewhere = nowhere[nth] as Ask;
      if (about.method !== "GET" || about.target === elsewhere.target) continue;
      const [found, missing] = [await ask(about), await ask(elsewhere)];
      assert.equal(timeless(inventedText(found.text)), timeless(missing.text), about.target);
      assert.equal(found.status, missing.status, about.target);
    }
  });
}

for (const [name, ask] of Object.entries(askers)) {
  test(`the metrics, which name every job, are not for ${name}`, async () => {
    const ofAll = { route: "metrics", method: "GET", target: "/metrics", body: undefined, headers: {} } as const;
    expectProblem(await ask(ofAll), "forbidden", /without limits/);
  });
}

/** They look at something else than who asks. */
const otherProof = ["beginSession", "callBack"];

// After all that was compared, for now they work in their own room as well.
for (const [name, ask] of Object.entries(askers)) {
  test(`${name} is told nothing of another room by any route, and changes nothing there`, async () => {
    const state = await vault.state();
    const names = { ...vault.names, room_id: [room, "den"] };
    const said = new Set<string>();
    // Who has signed out would be told nothing by the rest.
    for (const about of asksAbout(names).filter(({ route }) => route !== "endSession")) {
      for (const word of markedWords(about)) said.add(word);
      const { status, text, headers } = await ask(about);
      const answer = [...headers.values(), text].join("\n");
      if (!otherProof.includes(about.route)) assert.notEqual(status, 401, about.target);
      assert.deepEqual(marksIn(answer, about, said), [], `${about.method} ${about.target} ${about.body} ${text}`);
    }
    assert.deepEqual(await vault.state(), state);
  });
}

function markedWords({ target, body = "" }: Ask): readonly string[] {
  return (decodeURIComponent(target) + body).match(/[^\s"?&=/{}[\]]*qzxvq[^\s"?&=/{}[\]]*/gi) ?? [];
}

/** What he has said himself is no news: it is told again, and kept with what he did. */
function marksIn(answer: string, { target, body = "" }: Ask, said: ReadonlySet<string>): string[] {
  const longest = [...said].sort((a, b) => b.length - a.length);
  const news = longest.reduce((text, word) => text.replaceAll(word, ""), answer);
  const hidden = vault.ids.filter((id) => !`${target} ${body}`.includes(id));
  return [mark, ...hidden].filter((each) => has(news, each));
}

function has(text: string, part: string): boolean {
  return text.toLowerCase().includes(part);
}

function inventedText(text: string): string {
  const renamed = text.replaceAll("qzxvq", "abc").replaceAll("Qzxvq", "Abc");
  const ids = [...vault.ids, ...(vault.names["fingerprint"] ?? [])];
  return ids.reduce((all, id) => all.replaceAll(id, `${id.slice(0, -4)}beef`), renamed);
}

function invented(names: Names): Names {
  return JSON.parse(inventedText(JSON.stringify(names)));
}

/** Names of nothing at all. */
function nobody(): Names {
  const id = "00000000-0000-7000-8000-000000000000";
  const ids = ["worker_id", "task_id", "act_id", "token_id", "drain_id", "provider_id", "command_id", "uuid"];
  const names = ["spec_id", "job", "provider_name"].map((name) => [name, ["den:modifiers:Rotate"]]);
  const others = ["queue", "fingerprint", "actor", "target", "action", "q"].map((name) => [name, ["none"]]);
  // The jobs of the other room are found by it too, by whoever sees them.
  const find = ["find", ["modifiers"]];
  return Object.fromEntries([...ids.map((name) => [name, [id]]), ...names, ...others, ["label", ["a=b"]], find]);
}
