import assert from "node:assert/strict";
import { before, test } from "node:test";
import { asName, hostilePayloads, hostileTextNames, hostileTexts, hugeText } from "./hostile.ts";
import { type UiScene, uiScene } from "./scene.ts";
import { layTraps, type Traps } from "./traps.ts";

let scene: UiScene;
let traps: Traps;
before(async () => {
  scene = await uiScene();
  traps = await layTraps(scene);
});

test("a server keeps hostile words as they were said, wherever they were said", async () => {
  const admin = scene.as("admin");
  for (const name of hostileTextNames) {
    const text = hostileTexts[name];
    const task = await admin.ask("GET", `/tasks/${traps.failed[name]}`);
    assert.equal(task.error, text);
    assert.equal(task.error_code, asName(text));
    assert.equal(task.room_id, traps.room);
    const logs = await admin.ask("GET", `/tasks/${traps.failed[name]}/logs`);
    assert.equal(logs.items[0].message, asName(text, 4_000));
    const worker = await admin.ask("GET", `/workers/${traps.workers[name]}`);
    assert.equal(worker.name, asName(text));
    assert.equal(worker.labels.site, asName(text));
    assert.equal(worker.pause.note, asName(text, 900));
    const path = `/rooms/${encodeURIComponent(traps.room)}/jobs/${encodeURIComponent(traps.jobs[name])}`;
    const job = await admin.ask("GET", path);
    assert.equal(job.schema.title, text);
    assert.equal(job.pause.note, asName(text, 900));
  }
  const { items: alerts } = await admin.ask("GET", "/alerts?limit=500");
  assert.deepEqual(
    new Set(alerts.map(({ code }: { readonly code: string }) => code)),
    new Set(hostileTextNames.map((name) => asName(hostileTexts[name]))),
  );
  const { items: acts } = await admin.ask("GET", "/audit?action=worker.pause&limit=500");
  assert.equal(acts.length, hostileTextNames.length);
  assert.equal(Buffer.byteLength(traps.longestJob), 255);
});

test("a server keeps hostile payloads as they were sent", async () => {
  const admin = scene.as("admin");
  for (const [name, payload] of Object.entries(hostilePayloads)) {
    const task = await admin.ask("GET", `/tasks/${traps.completed[name]}`);
    assert.deepEqual(JSON.stringify(task.payload), JSON.stringify(payload), name);
    assert.deepEqual(JSON.stringify(task.result), JSON.stringify(payload), name);
  }
  assert.equal((await admin.ask("GET", `/tasks/${traps.hugeError}`)).error, hugeText);
});
