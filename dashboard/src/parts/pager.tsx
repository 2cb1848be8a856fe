import { Button } from "./button.tsx";
import style from "./pager.module.css";
import { count } from "./text.ts";

export interface PagerProps {
  readonly page: {
    readonly total: number;
    readonly total_exact: boolean;
    readonly limit: number;
    readonly offset: number;
  };
  readonly onOffset: (offset: number) => void;
}

export function Pager({ page: { total, total_exact, limit, offset }, onOffset }: PagerProps) {
  const last = Math.min(offset + limit, total);
  if (total <= limit && offset === 0) return null;
  return (
    <nav className={style.pager} aria-label="Pages of this list">
      <span>
        {count(offset + 1)} to {count(last)} of {count(total)}
        {total_exact ? "" : " or more"}
      </span>
      <Button small disabled={offset === 0} onClick={() => onOffset(Math.max(0, offset - limit))}>
        Previous
      </Button>
      <Button small disabled={last >= total && total_exact} onClick={() => onOffset(offset + limit)}>
        Next
      </Button>
    </nav>
  );
}
