import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { askedServer } from "./asked-server.ts";
import { UsageError } from "./usage-error.ts";

const data = mkdtempSync(join(tmpdir(), "leadhand-asked-"));
after(() => rmSync(data, { recursive: true }));
writeFileSync(join(data, "admin-token"), "lh_of_the_file\n");

const variables =
  (all: Readonly<Record<string, string>> = {}) =>
  (name: string) =>
    ({ LEADHAND_DATA: data, ...all })[name];

test("without a word it is the server of this machine, with the token of its data directory", async () => {
  const { url, token, tokenFrom } = await askedServer({}, variables());
  assert.deepEqual([url, token, tokenFrom], ["http://127.0.0.1:7070", "lh_of_the_file", join(data, "admin-token")]);
});

test("variables win over that, and flags over variables", async () => {
  const set = variables({ LEADHAND_URL: "https://jobs.example/v1/", LEADHAND_TOKEN: "lh_set" });
  const bySet = await askedServer({}, set);
  assert.deepEqual([bySet.url, bySet.token], ["https://jobs.example", "lh_set"]);
  const byFlag = await askedServer({ url: "http://localhost:1234/deep/", token: " lh_flag " }, set);
  assert.deepEqual([byFlag.url, byFlag.token], ["http://localhost:1234/deep", "lh_flag"]);
});

test("the admin token of this machine is not shown to a server elsewhere", async () => {
  for (const url of ["http://example.com", "http://127.0.0.1.example.com", "http://10.0.0.1:7070"]) {
    assert.equal((await askedServer({ url }, variables())).token, null, url);
  }
  for (const url of ["http://localhost:1", "http://127.0.0.2", "http://[::1]:7070"]) {
    assert.equal((await askedServer({ url }, variables())).token, "lh_of_the_file", url);
  }
});

test("a data directory without a token is told, not a fault: the server has the last word", async () => {
  const { token, tokenFrom } = await askedServer({ data: join(data, "none") }, variables());
  assert.equal(token, null);
  assert.match(tokenFrom, /admin-token is not there; give LEADHAND_TOKEN/);
});

test("what is no URL, and what is no token, is refused by where it came from", async () => {
  for (const url of ["localhost:7070", "ftp://x", "nonsense", "http://me:secret@host"]) {
    await assert.rejects(
      askedServer({ url }, variables()),
      (error) => error instanceof UsageError && /^--url: /.test(error.message),
    );
  }
  await assert.rejects(askedServer({}, variables({ LEADHAND_TOKEN: "two\nlines" })), /LEADHAND_TOKEN holds no token/);
});
