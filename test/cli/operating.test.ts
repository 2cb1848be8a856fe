import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { commandScene, rotate } from "./command-scene.ts";

const { command, admin, take, worker, send, caller } = await commandScene();
const submit = async (): Promise<string> =>
  (await admin.post(`/rooms/lab/tasks/${rotate}`, { payload: { angle: 1 } })).body.id;

test("a worker is paused and resumed, and shown with who did it and why", async () => {
  const paused = await command("workers", "pause", worker, "--note", "the disk is full", "--for", "10m");
  assert.match(paused.out, new RegExp(`^${worker} is paused by admin until \\S+: the disk is full\n$`));
  assert.match(
    (await command("workers", worker)).out,
    /^state +ONLINE\npaused +by admin until \S+: the disk is full$/m,
  );
  assert.equal((await command("workers", "resume", worker)).out, `${worker} takes tasks again\n`);
  assert.doesNotMatch((await command("workers", worker)).out, /^paused/m);
});

test("a worker drains alone, or with all that carry its label", async () => {
  const drained = await command("workers", "drain", worker, "--deadline", "2m");
  assert.match(drained.out, /drains: it gets nothing new, and keeps what it has until 20/);
  assert.match((await command("workers", worker)).out, /^drains +by admin until/m);
  await command("workers", "resume", worker);
  const { id } = (await admin.post("/workers", { labels: { zone: "a" }, name: "press-1" })).body;
  assert.match(
    (await command("workers", "drain", "--label", "zone=a", "--at-a-time", "3")).out,
    /^drain \S+: 1 draining, 0 to come, 0 done\n$/,
  );
  assert.equal((await admin.get(`/workers/${id}`)).body.draining, true);
  await until("the plan is through", async () => (await admin.get("/drains")).body.items.length === 0);
  const none = await command("workers", "drains");
  assert.deepEqual([none.code, none.err], [0, "No drains\n"]);
  const gone = await command("workers", "stop-drain", id);
  assert.equal(gone.code, 1);
  assert.match(
    gone.err,
    /There is no drain \S+, or it is through \(drain-not-found, 404\)\n$/,
    "and no hint about routes",
  );
});

test("a worker is limited, a task is taken from it, and what it was told is listed", async () => {
  assert.equal((await command("workers", "concurrency", worker, "1")).out, `${worker} holds 1 task at most\n`);
  assert.equal(
    (await command("workers", "concurrency", worker, "none")).out,
    `${worker} holds as many tasks as it wants\n`,
  );
  const task = await submit();
  await take();
  await command("workers", "concurrency", worker, "4");
  assert.match((await command("workers")).out, new RegExp(`^${worker} .* 1 of 4 .*limited$`, "m"));
  assert.match((await command("workers", worker)).out, /^limit +4 tasks$[\s\S]*^holds +1 of 4$/m);
  const evicted = await command("workers", "evict", task, "--note", "it hangs");
  assert.equal(evicted.out, `${task} is pending; nothing counts against it\n`);
  const { out } = await command("workers", "commands", worker);
  assert.match(out, /^TOLD +COMMAND +BY +DELIVERED +ANSWER +NOTE\n.* evict +admin +no +none yet +it hangs$/m);
  assert.match(out, / concurrency 4 /);
  const json = await command("workers", "commands", worker, "--json", "--limit", "1");
  assert.equal(JSON.parse(json.out).items[0].type, "evict");
  await admin.post(`/tasks/${task}/cancel`);
});

test("workers are deleted one by one, or all that are offline, by whoever may", async () => {
  const register = async (name: string): Promise<string> =>
    JSON.parse((await send("POST", "/workers/register", { token: admin.token, body: JSON.stringify({ name }) })).text)
      .uuid;
  const [one, offline, online] = [await register("one"), await register("two"), await register("three")];
  await send("POST", `/workers/${offline}/unregister`, { token: admin.token });
  assert.equal((await command("workers", "delete", one)).out, `${one} is deleted\n`);
  const gone = await command("workers", "delete", one);
  assert.deepEqual([gone.code, /worker-not-found/.test(gone.err)], [1, true]);
  assert.equal((await command("workers", "cleanup")).out, "0 workers deleted\n", "nobody has been away for that long");
  const ada = await caller("ada");
  const refused = await command("workers", "cleanup-offline", "--token", ada.token);
  assert.deepEqual([refused.code, /forbidden/.test(refused.err)], [1, true]);
  const cleared = await command("workers", "cleanup-offline", "--note", "moved");
  assert.equal(cleared.out, `1 worker deleted\n${offline}\n`);
  const json = await command("workers", "delete", online, "--json");
  assert.deepEqual(JSON.parse(json.out), { deleted: 1, workers: [online] });
  assert.deepEqual(JSON.parse((await command("workers", "cleanup-offline", "--json")).out), {
    deleted: 0,
    workers: [],
  });
});

test("jobs and queues are paused and resumed", async () => {
  assert.equal(
    (await command("jobs", "pause", rotate, "--note", "it eats the disk")).out,
    `${rotate} is paused by admin: it eats the disk\n`,
  );
  assert.match((await command("jobs", rotate)).out, /^paused +by admin: it eats the disk$/m);
  assert.match((await command("jobs")).out, new RegExp(`^${rotate} +1 +by admin: it eats the disk$`, "m"));
  assert.equal((await command("jobs", "resume", rotate)).out, `${rotate} goes on\n`);
  assert.equal((await command("jobs", "resume", rotate)).out, `${rotate} was not paused\n`);
  assert.match((await command("queues", "pause", "slow", "--for", "10m")).out, /^slow is paused by admin until /);
  const listed = await command("queues");
  assert.match(listed.out, /^QUEUE +WAITING +HELD +PAUSED\n/);
  assert.match(listed.out, /^slow +0 +0 +by admin until /m);
  assert.equal((await command("queues", "resume", "slow")).out, "slow goes on\n");
});

test("what is meant by nothing is refused before anything is asked", async () => {
  const wrong: [readonly string[], RegExp][] = [
    [["workers", "pause"], /ID is missing/],
    [["workers", "pause", worker, "--for", "10"], /--for: "10" is not a duration/],
    [["workers", "resume", worker, "--for", "10m"], /--for is not for/],
    [["workers", "drain"], /ID or --label K=V is missing/],
    [["workers", "drain", worker, "--at-a-time", "2"], /--at-a-time is not for/],
    [["workers", "concurrency", worker], /N is missing/],
    [["workers", "concurrency", worker, "many"], /is not a whole number/],
    [["workers", worker, "pause"], /one word too many/],
    [
      ["workers", "puase", worker],
      /"puase" is neither an id nor an act, did you mean pause\? The acts are events, pause/,
    ],
    [
      ["workers", "nobody"],
      /"nobody" is neither an id nor an act\. The acts are .*, delete, cleanup, cleanup-offline$/m,
    ],
    [["workers", "delete"], /ID is missing/],
    [["workers", "delete", worker, "--note", "why"], /--note is not for/],
    [["workers", "cleanup", worker], /one word too many/],
    [["jobs", "pause"], /NAME is missing/],
    [["queues", "stop", "slow"], /is not pause or resume/],
    [["queues", "pause"], /NAME is missing/],
  ];
  const ended = await Promise.all(wrong.map(([args]) => command(...args)));
  for (const [nth, { code, err }] of ended.entries()) {
    const [args, says] = wrong[nth] as (typeof wrong)[number];
    assert.equal(code, 2, args.join(" "));
    assert.match(err, says);
  }
});
