import assert from "node:assert/strict";
import { test } from "node:test";
import type { Paint } from "./paint.ts";
import { detailLines, tableLines } from "./table.ts";

const columns = [
  { head: "ID" },
  { head: "JOB", least: 6, keepsEnd: true },
  { head: "COUNT", right: true },
  { head: "NOTE", least: 4 },
] as const;
const rows = [
  ["one", "@global:modifiers:Rotate", "7", "all is well with it"],
  ["three", "lab:a:B", "1,234", ""],
];

test("columns are as wide as they need, and lines end with their last letter", () => {
  assert.deepEqual(tableLines(columns, rows, { width: null }), [
    "ID     JOB                       COUNT  NOTE",
    "one    @global:modifiers:Rotate      7  all is well with it",
    "three  lab:a:B                   1,234",
  ]);
});

test("on a terminal no line is wider than it; the widest columns give way first, and ids never", () => {
  for (const width of [60, 50, 40, 30]) {
    const lines = tableLines(columns, rows, { width });
    assert.ok(
      lines.every((line) => line.length <= width),
      `${width}: ${lines.join("\n")}`,
    );
    assert.match(lines[2] as string, /^three {2}/);
  }
  assert.deepEqual(tableLines(columns, rows, { width: 40 })[1], "one    …iers:Rotate      7  all is well…");
});

test("where cutting does not help, columns that can be spared go, the least wanted first", () => {
  const some = [{ head: "ID" }, { head: "TOOK", spare: 1 }, { head: "NOTE", spare: 2 }] as const;
  const widths = [20, 15, 14, 8].map((width) => tableLines(some, [["0123456", "2.4 s", "no"]], { width })[1]);
  assert.deepEqual(widths, ["0123456  2.4 s  no", "0123456  no", "0123456  no", "0123456"]);
});

test("where nothing more can be cut, lines are longer rather than wrong", () => {
  assert.deepEqual(tableLines(columns, rows, { width: 5 })[1], "one    …otate      7  all…");
});

test("letters that take two places are counted as two", () => {
  const wide = [["日本", "x"]];
  assert.deepEqual(tableLines([{ head: "A" }, { head: "B" }], wide, { width: null }), ["A     B", "日本  x"]);
  assert.deepEqual(tableLines([{ head: "A", least: 1 }], [["日本語"]], { width: 5 })[1], "日本…");
});

test("what others wrote gives a terminal no orders, and does not begin new lines", () => {
  assert.deepEqual(tableLines([{ head: "A" }], [["\u001b[2Jgone\nnext"]], { width: null })[1], "?[2Jgone next");
});

test("colours go round the text alone, and do not count as width", () => {
  const paint: Paint = (style, text) => `<${style}>${text}</>`;
  const lines = tableLines(
    [{ head: "A" }, { head: "B" }],
    [
      [{ text: "x", style: "red" }, "y"],
      ["long", "z"],
    ],
    { width: null, paint },
  );
  assert.deepEqual(lines, ["<dim>A</>     <dim>B</>", "<red>x</>     y", "long  z"]);
});

test("of one thing only what is known is told", () => {
  assert.deepEqual(
    detailLines([
      ["id", "1"],
      ["worker", null],
      ["status", { text: "failed", style: "red" }],
    ]),
    ["id      1", "status  failed"],
  );
});
