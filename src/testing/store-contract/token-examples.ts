import assert from "node:assert/strict";
import { aSlice, aToken } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import type { Example } from "./stage.ts";

const hashOf = (n: number): string => `${n}`.padStart(64, "0");
const all = { limit: 100, offset: 0 };

export function tokenExamples(example: Example): void {
  example("a token is found by its hash and by its id, as it was written", async ({ amend, store }) => {
    const plain = aToken({ id: "t1", hash: hashOf(1) });
    const limited = aToken({
      ...{ id: "t2", hash: hashOf(2), name: 'the "nightly" one, {a}', user: "Grüße \u0001'", role: "viewer" },
      ...{ rooms: ["a", 'b "c", {d}', "é\\"], jobs: ["@global:*", "*, 'x'"] },
      ...{ createdAt: worldStart + 1, expiresAt: worldStart + 2, revokedAt: worldStart + 3 },
    });
    const shut = aToken({ id: "t3", hash: hashOf(3), role: "admin", rooms: [], jobs: [] });
    await amend({ tokens: [plain, limited, shut] });
    for (const token of [plain, limited, shut]) {
      assert.deepStrictEqual(await store.read("token", { hash: token.hash }), token);
      assert.deepStrictEqual(await store.read("token", { id: token.id }), token);
    }
  });

  example("an unknown token is null, whatever the question looks like", async ({ amend, store }) => {
    await amend({ tokens: [aToken({ id: "t1", hash: hashOf(1) })] });
    for (const text of ["", hashOf(2), hashOf(1).slice(1), `${hashOf(1)} `, "T1", "'; --", "\u0000", "\ud800"]) {
      assert.equal(await store.read("token", { hash: text }), null);
      assert.equal(await store.read("token", { id: text }), null);
    }
  });

  example("tokens are listed newest first, those of one moment by id, page by page", async ({ amend, store }) => {
    assert.deepEqual(await store.read("tokens", all), { items: [], total: 0, totalExact: true });
    const at = [0, 2, 1, 2, 0];
    const tokens = at.map((ms, n) => aToken({ id: `t${n}`, hash: hashOf(n), createdAt: worldStart + ms }));
    await amend({ tokens });
    const listed = await store.read("tokens", all);
    assert.deepStrictEqual(listed, { items: [1, 3, 2, 0, 4].map((n) => tokens[n]), total: 5, totalExact: true });
    const page = await store.read("tokens", { limit: 2, offset: 1 });
    assert.deepEqual([page.items.map(({ id }) => id), page.total], [["t3", "t2"], 5]);
  });

  example("a token written again is replaced", async ({ amend, store }) => {
    await amend({ tokens: [aToken({ hash: hashOf(1), name: "old", rooms: ["a"] })] });
    const next = aToken({ hash: hashOf(2), name: null, role: "admin", expiresAt: worldStart + 9 });
    await amend({ tokens: [next] });
    assert.deepStrictEqual((await store.read("tokens", all)).items, [next]);
    assert.equal(await store.read("token", { hash: hashOf(1) }), null);
  });

  example("a revoked token stays revoked since the first time, whatever is written later", async ({ amend, store }) => {
    await amend({ tokens: [aToken()] });
    await amend({ tokens: [aToken({ revokedAt: worldStart + 5 })] });
    await amend({ tokens: [aToken({ revokedAt: worldStart + 9, name: "later" })] });
    await amend({ tokens: [aToken({ revokedAt: null, name: "again" })] });
    const kept = await store.read("token", { id: "t1" });
    assert.deepStrictEqual(kept, aToken({ revokedAt: worldStart + 5, name: "again" }));
  });

  example("no two tokens have the same hash: the second is refused with all that came with it", async (stage) => {
    const { amend, store } = stage;
    const first = aToken({ id: "t1", hash: hashOf(1) });
    await amend({ tokens: [first] });
    const twin = aToken({ id: "t2", hash: hashOf(1) });
    await assert.rejects(amend({ tokens: [aToken({ id: "t3", hash: hashOf(3) }), twin] }));
    await assert.rejects(
      amend({ tokens: [aToken({ id: "t4", hash: hashOf(4) }), aToken({ id: "t5", hash: hashOf(4) })] }),
    );
    assert.deepStrictEqual((await store.read("tokens", all)).items, [first]);
  });

  example("sessions and codes are listed by their kind, and tokens of programs apart from them", async (stage) => {
    const { amend, store } = stage;
    const kinds = ["api", "session", "code", "session"] as const;
    const tokens = kinds.map((kind, n) =>
      aToken({ id: `t${n}`, hash: hashOf(n), kind, parent: n === 0 ? null : "t0", createdAt: worldStart + n }),
    );
    await amend({ tokens });
    const listed = async (kind?: (typeof kinds)[number]) => {
      const { items, total } = await store.read("tokens", { ...all, ...(kind !== undefined && { kind }) });
      return [items.map(({ id }) => id), total];
    };
    assert.deepEqual(await listed(), [["t3", "t2", "t1", "t0"], 4]);
    assert.deepEqual(await listed("api"), [["t0"], 1]);
    assert.deepEqual(await listed("session"), [["t3", "t1"], 2]);
    assert.deepEqual(await listed("code"), [["t2"], 1]);
    assert.deepStrictEqual(await store.read("token", { id: "t3" }), tokens[3]);
  });

  example("an amendment sees the tokens of its scope as they are, and no others", async ({ amend, store }) => {
    const [one, two] = [aToken(), aToken({ id: "t2", hash: hashOf(2), kind: "code", parent: "t1" })];
    await amend({ tokens: [one, two] });
    const seen = await store.amend({ tokens: ["t2", "none", "t2"] }, ({ tokens }) => ({ answer: [...tokens] }));
    assert.deepStrictEqual(seen.answer, [["t2", two]]);
  });

  example("sessions and codes go after their end, the oldest first; tokens of programs stay", async (stage) => {
    const { amend, store } = stage;
    const about = [
      ["api", 1],
      ["session", 3],
      ["code", 2],
      ["session", 5],
      ["code", null],
    ] as const;
    const tokens = about.map(([kind, end], n) =>
      aToken({ id: `t${n}`, hash: hashOf(n), kind, expiresAt: end === null ? null : worldStart + end }),
    );
    await amend({ tokens });
    const slice = (limit: number) => store.prune(aSlice({ sessionsBefore: worldStart + 5, limit }));
    const left = async () => (await store.read("tokens", all)).items.map(({ id }) => id);
    assert.equal(await store.prune(aSlice()), 0);
    assert.deepEqual([await slice(1), await left()], [1, ["t0", "t1", "t3", "t4"]]);
    assert.deepEqual([await slice(9), await left()], [1, ["t0", "t3", "t4"]]);
    assert.equal(await slice(9), 0);
  });

  example("tokens are no part of the catalog, whose revision they leave alone", async ({ amend, store }) => {
    const { revision } = await store.read("catalog", { after: 0 });
    await amend({ tokens: [aToken()] });
    assert.equal((await store.read("catalog", { after: 0 })).revision, revision);
  });
}
