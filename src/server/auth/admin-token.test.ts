import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { aToken } from "../../testing/builders.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { systemSecret } from "../system.ts";
import { ensureAdminToken } from "./admin-token.ts";
import { apiToken, hashOf, isApiToken } from "./api-token.ts";
import { allTokens, issueToken, revokeToken } from "./tokens.ts";

const folder = mkdtempSync(join(tmpdir(), "leadhand-admin-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;

function scene(dataDirectory = join(folder, `${++made}`, "data"), store = memoryStore()) {
  const world = { store, clock: manualClock(), log: recordedLog(), secret: systemSecret, dataDirectory };
  const file = join(dataDirectory, "admin-token");
  return { ...world, file, ensure: () => ensureAdminToken(world), text: () => readFileSync(file, "utf8") };
}

test("a first start makes an admin token that only its owner can read, and the database knows it", async () => {
  const { ensure, text, file, store, log, dataDirectory } = scene();
  await ensure();
  assert.match(text(), /^lh_\S+\n$/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(dataDirectory), ["admin-token"], "nothing beside it");
  const known = await store.read("token", { hash: hashOf(text().trim()) });
  assert.deepEqual([known?.user, known?.role, known?.rooms, known?.expiresAt], ["admin", "admin", null, null]);
  assert.doesNotMatch(JSON.stringify(log.lines), /lh_/);
});

test("a second start changes nothing", async () => {
  const { ensure, text, store } = scene();
  await ensure();
  const before = [text(), await allTokens(store)];
  await ensure();
  assert.deepEqual([text(), await allTokens(store)], before);
});

test("starts at the same moment agree on one token, on one database or on two", async () => {
  const first = scene();
  const second = scene(first.dataDirectory);
  const third = scene(first.dataDirectory, first.store);
  await Promise.all([first, second, third].map(({ ensure }) => ensure()));
  const hash = hashOf(first.text().trim());
  for (const { store } of [first, second])
    assert.deepEqual(
      (await allTokens(store)).map((token) => token.hash),
      [hash],
    );
  assert.deepEqual(readdirSync(first.dataDirectory), ["admin-token"]);
});

test("a new database under an old file learns the token", async () => {
  const old = scene();
  await old.ensure();
  const next = scene(old.dataDirectory);
  await next.ensure();
  assert.notEqual(await next.store.read("token", { hash: hashOf(old.text().trim()) }), null);
});

test("a token that was put there beforehand becomes the admin's", async () => {
  const { ensure, file, store, dataDirectory } = scene();
  const token = apiToken(systemSecret());
  mkdirSync(dataDirectory, { recursive: true });
  writeFileSync(file, `  ${token}\r\n`, { mode: 0o600 });
  await ensure();
  assert.equal((await store.read("token", { hash: hashOf(token) }))?.role, "admin");
});

test("where the database knows an admin and the file is gone, none is made", async () => {
  const { ensure, file, store } = scene();
  await ensure();
  rmSync(file);
  await ensure();
  assert.equal(existsSync(file), false);
  assert.equal((await allTokens(store)).length, 1);
});

test("where every admin was revoked or has expired, the next start makes one", async () => {
  const { ensure, text, file, store, clock, secret } = scene();
  const about = { user: "ada", role: "admin", name: null, rooms: null, jobs: null } as const;
  const keeper = { store, clock, secret };
  const revoked = await issueToken(keeper, { ...about, expiresAt: null });
  await issueToken(keeper, { ...about, expiresAt: clock.now() + 1 });
  await issueToken(keeper, { ...about, role: "user", expiresAt: null });
  await ensure();
  assert.equal(existsSync(file), false);
  await revokeToken(keeper, revoked.record.id);
  clock.advance(1);
  await ensure();
  assert(isApiToken(text().trim()));
});

test("a revoked token stays revoked though the file is still there, and the log says so", async () => {
  const { ensure, store, clock, log } = scene();
  await ensure();
  const [admin] = await allTokens(store);
  await revokeToken({ store, clock }, admin?.id as string);
  await ensure();
  assert.equal((await allTokens(store)).length, 1);
  assert.notEqual((await allTokens(store))[0]?.revokedAt, null);
  assert.match(log.lines.at(-1)?.message ?? "", /revoked/);
});

test("a file that holds something else stops the start and is left as it is", async () => {
  for (const text of ["", "hunter2", `${apiToken(systemSecret())}x`, `${apiToken(systemSecret())}\nmore`]) {
    const { ensure, file, dataDirectory, store } = scene();
    mkdirSync(dataDirectory, { recursive: true });
    writeFileSync(file, text);
    await assert.rejects(
      ensure(),
      (error: Error) => /holds no token/.test(error.message) && !error.message.includes("lh_"),
    );
    assert.equal(readFileSync(file, "utf8"), text);
    assert.deepEqual(await allTokens(store), []);
  }
});

test("a file that others can read is worth a warning", async () => {
  const { ensure, file, log } = scene();
  await ensure();
  chmodSync(file, 0o644);
  await ensure();
  assert.deepEqual(log.lines.filter(({ level }) => level === "warn").length, 1);
});

test("where no file can be made the start goes on, with a warning", async () => {
  const blocked = join(folder, "blocked");
  writeFileSync(blocked, "");
  const { ensure, store, log } = scene(join(blocked, "data"));
  await ensure();
  assert.deepEqual(await allTokens(store), []);
  assert.match(log.lines.at(-1)?.message ?? "", /No admin token could be written/);
});

test("a database with other tokens gets its admin all the same", async () => {
  const { ensure, text, store } = scene();
  await store.amend({}, () => ({ answer: null, tokens: [aToken()] }));
  await ensure();
  assert(isApiToken(text().trim()));
});
