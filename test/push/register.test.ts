import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { restScene } from "../rest/scene.ts";

const { admin, caller, data } = await restScene({ "push-allow-hosts": "hooks.lan" });
const ada = await caller("ada");
const viewer = await caller("vera", { role: "viewer" });
const url = "https://hooks.example/run";

const register = (push: unknown, name = "Any") =>
  ada.put("/rooms/lab/jobs", { category: "modifiers", name, push } as object);

const refused: Readonly<Record<string, readonly [unknown, string]>> = {
  "no URL": [{ url: "there" }, "/push/url"],
  "another protocol": [{ url: "ftp://hooks.example/" }, "/push/url"],
  "http where it is not allowed": [{ url: "http://hooks.example/" }, "/push/url"],
  "a user and a password": [{ url: "https://ada:secret@hooks.example/" }, "/push/url"],
  "an address of this machine": [{ url: "https://127.0.0.1/" }, "/push/url"],
  "the same in other words": [{ url: "https://0x7f.1/" }, "/push/url"],
  "an address inside of IPv6": [{ url: "https://[::ffff:10.0.0.1]/" }, "/push/url"],
  "a time that is too short": [{ url, timeoutMs: 1 }, "/push/timeoutMs"],
  "a time that is too long": [{ url, callbackMs: 10 ** 12 }, "/push/callbackMs"],
  "no room at all": [{ url, maxConcurrent: 0 }, "/push/maxConcurrent"],
  "a header that is ours": [{ url, headers: { "Leadhand-Signature": "v1=0" } }, "/push/headers/Leadhand-Signature"],
  "a header that splits a request": [{ url, headers: { "Content-Length": "0" } }, "/push/headers/Content-Length"],
  "a header with a line break": [{ url, headers: { "X-A": "1\r\nX-B: 2" } }, "/push/headers/X-A"],
  "a secret that is none": [{ url, secret: "short" }, "/push/secret"],
  "a word that is not known": [{ url, retries: 3 }, "/push/retries"],
};

for (const [words, [push, pointer]] of Object.entries(refused)) {
  test(`a push job is refused, with the field named: ${words}`, async () => {
    const { status, body } = await register(push);
    assert.equal(status, 422);
    assert.deepEqual(
      body.errors.map((error: { pointer: string }) => error.pointer),
      [pointer],
    );
    assert.equal((await ada.get("/rooms/lab/jobs/lab:modifiers:Any")).status, 404);
  });
}

test("nobody sees what is secret about a push job, and no worker is made for it", async () => {
  const push = { url: `${url}?key=hush`, headers: { "X-Key": "hush" }, secret: "hush hush hush hush" };
  const made = await register(push, "Secret");
  assert.equal(made.status, 201);
  assert.equal(made.body.worker_id, null);
  const paths = ["/rooms/lab/jobs/lab:modifiers:Secret", "/jobs", "/rooms/lab/jobs"];
  for (const who of [admin, ada, viewer]) {
    for (const path of paths) assert.ok(!(await who.get(path)).text.includes("hush"), path);
  }
  assert.deepEqual(made.body.push, {
    ...{ url: `${url}?***`, timeoutMs: 30_000, callbackMs: 900_000, maxConcurrent: 10 },
    ...{ headers: { "X-Key": "***" }, secret: "***" },
  });
});

test("a key that was taken back stays nowhere in the database, not among a job's former versions either", async () => {
  await register({ url, headers: { "X-Key": "taken back" } }, "Former");
  await register({ url }, "Former");
  const database = new DatabaseSync(join(data, "leadhand.db"), { readOnly: true });
  const kept = database.prepare("select content as text from spec union all select push from job").all();
  database.close();
  assert.ok(kept.some(({ text }) => String(text).includes(url)));
  assert.ok(!JSON.stringify(kept).includes("taken back"));
});

test("the secret of a job's signatures is for superusers", async () => {
  await register({ url }, "Open");
  for (const who of [ada, viewer]) assert.equal((await who.get("/jobs/lab:modifiers:Open/push-secret")).status, 403);
  const first = await admin.get("/jobs/lab:modifiers:Open/push-secret");
  assert.match(first.body.secret, /^[0-9a-f]{64}$/);
  assert.equal(first.headers.get("cache-control"), "no-store");
  await register({ url }, "Other");
  assert.notEqual((await admin.get("/jobs/lab:modifiers:Other/push-secret")).body.secret, first.body.secret);
  await admin.put("/rooms/lab/jobs", { category: "modifiers", name: "Plain" });
  assert.equal((await admin.get("/jobs/lab:modifiers:Plain/push-secret")).status, 404);
});

test("a push job can be made a job for workers again, and takes nothing of its URL along to another", async () => {
  await register({ url, headers: { "X-Key": "hush" } }, "Back");
  assert.deepEqual((await register({ url: "https://other.example/" }, "Back")).body.push.headers, {});
  assert.equal((await register(null, "Back")).body.push, null);
});
