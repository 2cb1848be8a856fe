// Tables for people: columns as wide as they need, and on a terminal no wider than it is.

import { noPaint, type Paint, type Style } from "./paint.ts";
import { plain } from "./plain.ts";
import { cutText, textWidth } from "./text-width.ts";

export interface Column {
  readonly head: string;
  /** How narrow it may become where there is no room; one without it, such as an id, is never cut. */
  readonly least?: number;
  readonly right?: true;
  /** The end says more than the beginning, as in full names. */
  readonly keepsEnd?: true;
  /** Left out where cutting alone does not help; the lowest number goes first. */
  readonly spare?: number;
}

export type Cell = string | { readonly text: string; readonly style: Style };

export interface TableOptions {
  /** Of the terminal; null where there is none. */
  readonly width: number | null;
  readonly paint?: Paint;
}

const gap = "  ";

export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { width, paint = noPaint }: TableOptions,
): string[] {
  const full = columns.map((column, nth) => {
    const cells = rows.map((row) => row[nth] ?? "");
    const texts = cells.map((cell) => plain(typeof cell === "string" ? cell : cell.text));
    return { ...column, cells, texts, width: Math.max(...[column.head, ...texts].map(textWidth)) };
  });
  const shown = width === null ? full : fitted(full, width);
  const lineOf = (textOf: (column: Shown) => string, styleFor: (column: Shown) => Style | null): string =>
    shown
      .map((column, nth) => {
        const { before, text, after } = aligned(textOf(column), column, nth === shown.length - 1);
        const style = styleFor(column);
        return before + (style === null ? text : paint(style, text)) + after;
      })
      .join(gap)
      .trimEnd();
  return [
    lineOf(
      ({ head }) => head,
      () => "dim",
    ),
    ...rows.map((_, row) =>
      lineOf(
        ({ texts }) => texts[row] ?? "",
        ({ cells }) => styleOf(cells[row]),
      ),
    ),
  ];
}

interface Shown extends Column {
  readonly cells: readonly Cell[];
  readonly texts: readonly string[];
  readonly width: number;
}

function fitted(columns: readonly Shown[], width: number): readonly Shown[] {
  const least = columns.map(leastOf).reduce((sum, each) => sum + each, gap.length * (columns.length - 1));
  const spares = columns.flatMap(({ spare }) => spare ?? []);
  if (least > width && spares.length > 0) {
    const first = Math.min(...spares);
    return fitted(
      columns.filter(({ spare }) => spare !== first),
      width,
    );
  }
  return narrowed(columns, width);
}

function leastOf({ least, head, width }: Shown): number {
  return least === undefined ? width : Math.min(width, Math.max(least, textWidth(head)));
}

/** Letters are taken from the widest column that may lose any, until the line fits. */
function narrowed(columns: readonly Shown[], width: number): readonly Shown[] {
  const widths = columns.map((column) => column.width);
  const least = columns.map(leastOf);
  let excess = widths.reduce((sum, each) => sum + each, gap.length * (columns.length - 1)) - width;
  for (; excess > 0; excess--) {
    const slack = widths.map((each, nth) => (each > (least[nth] ?? 0) ? each : 0));
    const widest = slack.indexOf(Math.max(...slack));
    if ((slack[widest] ?? 0) === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return columns.map((column, nth) => ({ ...column, width: widths[nth] ?? 0 }));
}

function aligned(given: string, { width, right, keepsEnd }: Shown, isLast: boolean) {
  const text = cutText(given, width, keepsEnd === true ? "start" : "end");
  const space = " ".repeat(Math.max(0, width - textWidth(text)));
  if (right === true) return { before: space, text, after: "" };
  return { before: "", text, after: isLast ? "" : space };
}

function styleOf(cell: Cell | undefined): Style | null {
  return cell === undefined || typeof cell === "string" ? null : cell.style;
}

/** What is known of one thing, a line each; what is not known is left out. */
export function detailLines(members: readonly (readonly [string, Cell | null])[], paint: Paint = noPaint): string[] {
  const known = members.filter((member): member is readonly [string, Cell] => member[1] !== null);
  const width = Math.max(...known.map(([name]) => name.length));
  return known.map(([name, cell]) => {
    const style = styleOf(cell);
    const text = plain(typeof cell === "string" ? cell : cell.text);
    return `${paint("dim", name.padEnd(width))}  ${style === null ? text : paint(style, text)}`;
  });
}
