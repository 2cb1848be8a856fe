import assert from "node:assert/strict";
import { test } from "node:test";
import { alertsPerMinuteMax } from "../../src/core/alert.ts";
import { expectBadFields, expectProblem } from "./expect-problem.ts";
import { restScene } from "./scene.ts";

const scene = await restScene();
const { admin } = scene;
const [ada, bob, vera, lina] = await Promise.all([
  scene.caller("ada"),
  scene.caller("bob"),
  scene.caller("vera", { role: "viewer" }),
  scene.caller("lina", { rooms: ["lab"] }),
]);

async function workerIn(room: string): Promise<string> {
  return (await ada.put(`/rooms/${room}/jobs`, { category: "modifiers", name: "A" })).body.worker_id;
}

const [inLab, inHall] = [await workerIn("lab"), await workerIn("hall")];
const full = { severity: "warning", code: "disk", message: "3 GiB are left" };
const task = "01890000-0000-7000-8000-00000000000a";

test("an alert of a worker is in its history and in the list of all, newest first", async () => {
  assert.deepEqual((await ada.post(`/workers/${inLab}/alerts`, full)).body, { kept: true });
  const about = { severity: "critical", code: "gpu", message: "gone", task_id: task, at: "2001-01-01T00:00:00Z" };
  assert.equal((await ada.post(`/workers/${inHall}/alerts`, about)).status, 200);
  const { items, total } = (await vera.get("/alerts")).body;
  assert.equal(total, 2);
  const { at, ...said } = items[0];
  assert.deepEqual(said, { worker_id: inHall, severity: "critical", code: "gpu", message: "gone", task_id: task });
  assert.ok(at > "2026", "a time of long ago is not believed");
  assert.equal(items[1].worker_id, inLab);
  const event = (await ada.get(`/workers/${inLab}/events`)).body.items.at(-1);
  assert.deepEqual([event.type, event.code, event.data.severity], ["worker.alert", "disk", "warning"]);
});

test("alerts are narrowed by severity, worker and time", async () => {
  const total = async (query: string) => (await ada.get(`/alerts?limit=0&${query}`)).body.total;
  assert.equal(await total("severity=critical"), 1);
  assert.equal(await total("severity=info"), 0);
  assert.equal(await total(`worker_id=${inLab.toUpperCase()}`), 1);
  assert.equal(await total(`worker_id=${inLab}&severity=critical`), 0);
  assert.equal(await total("since=2001-01-01T00:00:00Z"), 2);
  assert.equal(await total("since=2999-01-01T00:00:00Z"), 0);
  expectBadFields(await ada.get("/alerts?severity=bad"), "/query/severity");
});

test("only the owner raises an alert, and a token of one room sees those of its workers", async () => {
  expectProblem(await bob.post(`/workers/${inLab}/alerts`, full), "forbidden");
  expectProblem(await vera.post(`/workers/${inLab}/alerts`, full), "forbidden");
  expectProblem(await ada.post(`/workers/${task}/alerts`, full), "worker-not-found");
  expectBadFields(await ada.post(`/workers/${inLab}/alerts`, { ...full, severity: "bad" }), "/severity");
  const seen = (await lina.get("/alerts")).body.items;
  assert.deepEqual(
    seen.map((each: { worker_id: string }) => each.worker_id),
    [inLab],
  );
  assert.equal((await lina.get(`/alerts?worker_id=${inHall}`)).body.total, 0);
});

test("a worker that raises alerts without end is heard only so often, and that is said", async () => {
  const worker = await workerIn("noisy");
  const answers = [];
  for (let n = 0; n < alertsPerMinuteMax + 5; n += 1) {
    answers.push((await ada.post(`/workers/${worker}/alerts`, { ...full, code: `n${n}` })).body.kept);
  }
  assert.equal(answers.filter((kept) => kept).length, alertsPerMinuteMax);
  const { items, total } = (await ada.get(`/alerts?worker_id=${worker}&limit=1`)).body;
  assert.deepEqual([total, items[0].code], [alertsPerMinuteMax + 1, "too-many-alerts"]);
  const metrics = await (
    await fetch(`${scene.url}/metrics`, { headers: { authorization: `Bearer ${admin.token}` } })
  ).text();
  assert.match(
    metrics,
    new RegExp(`^leadhand_worker_alerts_total\\{severity="warning"\\} ${alertsPerMinuteMax + 6}$`, "m"),
  );
});
