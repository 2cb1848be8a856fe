import type { ReactNode } from "react";
import { Scrolled } from "./scrolled.tsx";
import style from "./table.module.css";

export interface Column<T> {
  readonly title: string;
  readonly show: (row: T) => ReactNode;
  /** Figures stand under each other. */
  readonly number?: boolean;
  /** Left out where there is little room. */
  readonly minor?: boolean;
  /** Left out unless there is plenty. */
  readonly rare?: boolean;
  readonly wide?: boolean;
  /** Stays on one line, and is cut where it is too long for that. */
  readonly tight?: boolean;
}

export interface TableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  readonly testId?: string;
  /** Columns are as wide as those of its neighbours. */
  readonly even?: boolean;
}

/** For lists that fit on a page. */
export function Table<T>({ label, rows, columns, keyOf, testId, even = false }: TableProps<T>) {
  return (
    <Scrolled className={style.scroll} aria-label={label}>
      <table className={even ? `${style.table} ${style.even}` : style.table} data-testid={testId}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.title} className={classOf(column)}>
                  {column.show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

function classOf<T>({ number, minor, rare, wide, tight }: Column<T>): string {
  return [number && style.number, minor && style.minor, rare && style.rare, wide && style.wide, tight && style.tight]
    .filter(Boolean)
    .join(" ");
}
