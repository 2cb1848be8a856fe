import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../ports/store.ts";
import { type LinePlace, positionMax, type Reads } from "../ports/store-reads.ts";
import { places } from "./places.ts";

/** Every task of the line is one of `ids`; counts what it is asked. */
function lineOf(...ids: readonly string[]) {
  const looks: string[] = [];
  const rounds: number[] = [];
  const read = async (kind: string, { asked }: Reads["positions"]["query"]) => {
    assert.equal(kind, "positions");
    rounds.push(asked.length);
    return asked.map(({ id }) => {
      looks.push(id);
      const position = 1 + ids.filter((other) => other < id).length;
      return position > positionMax ? { position: positionMax, exact: false } : { position, exact: true };
    });
  };
  return { looks, rounds, places: places({ read } as unknown as Pick<Store, "read">) };
}

const numbered = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, nth) => `t${String(from + nth).padStart(6, "0")}`);

const query = (id: string, rank = 0): LinePlace => ({ id, rank, lanes: [7] });

test("tasks that stand together are counted by the first and the last of them", async () => {
  const all = numbered(200);
  const { looks, places } = lineOf(...all);
  const asked = all.slice(100).toReversed();
  const found = await Promise.all(asked.map((id) => places.of(query(id))));
  assert.deepEqual(
    found,
    asked.map((id) => ({ position: all.indexOf(id) + 1, exact: true })),
  );
  assert.equal(looks.length, 2);
});

test("whoever stands between them is not overlooked", async () => {
  const all = numbered(60);
  const { places } = lineOf(...all);
  const asked = all.filter((_, nth) => nth % 7 !== 3);
  const found = await Promise.all(asked.map((id) => places.of(query(id))));
  assert.deepEqual(
    found.map(({ position }) => position),
    asked.map((id) => all.indexOf(id) + 1),
  );
});

test("the lines of a whole page are counted together, in a few rounds", async () => {
  const all = numbered(900);
  const { rounds, places } = lineOf(...all);
  const asked = all.filter((_, nth) => nth % 9 === 0).map((id, nth) => ({ id, rank: nth % 5, lanes: [nth % 7] }));
  const found = await Promise.all(asked.map((each) => places.of(each)));
  assert.deepEqual(
    found.map(({ position }) => position),
    asked.map(({ id }) => all.indexOf(id) + 1),
  );
  assert.ok(rounds.length <= 5, `${rounds.length} rounds`);
});

test("a place too far behind to be counted is told as such, and so is everyone's after it", async () => {
  const all = numbered(positionMax + 64);
  const { looks, places } = lineOf(...all);
  const across = all.slice(positionMax - 32);
  const found = await Promise.all(across.map((id) => places.of(query(id))));
  assert.deepEqual(
    found.map(({ exact }) => exact),
    across.map((_, nth) => nth < 32),
  );
  assert.deepEqual(found[31], { position: positionMax, exact: true });
  looks.length = 0;
  const behind = await Promise.all(all.slice(positionMax).map((id) => places.of(query(id))));
  assert.ok(behind.every(({ exact }) => !exact));
  assert.equal(looks.length, 1);
});

test("tasks of different rank are counted apart, and one asked for twice is counted once", async () => {
  const { looks, places } = lineOf(...numbered(9));
  const [a, b, c] = await Promise.all([
    places.of(query("t000004", 0)),
    places.of(query("t000004", 0)),
    places.of(query("t000005", -1)),
  ]);
  assert.deepEqual(
    [a, b, c].map((place) => place?.position),
    [5, 5, 6],
  );
  assert.deepEqual(looks, ["t000004", "t000005"]);
});

test("a store that does not answer fails everyone who asked, and nobody later", async () => {
  let away = true;
  const read = async () => {
    if (away) throw new Error("away");
    return [{ position: 1, exact: true }];
  };
  const asked = places({ read } as unknown as Pick<Store, "read">);
  const failed = await Promise.allSettled([asked.of(query("t1")), asked.of(query("t2"))]);
  assert.deepEqual(
    failed.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  away = false;
  assert.deepEqual(await asked.of(query("t1")), { position: 1, exact: true });
});
