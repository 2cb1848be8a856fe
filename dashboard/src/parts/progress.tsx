import { Progress as Base } from "@base-ui/react/progress";
import style from "./progress.module.css";
import { count } from "./text.ts";

export function ProgressBar(props: {
  readonly label: string;
  readonly current: number;
  readonly total: number | null;
  readonly message?: string | null;
}) {
  const { label, current, total, message } = props;
  return (
    <Base.Root value={total === null ? null : Math.min(current, total)} max={total ?? 100} aria-label={label}>
      <Base.Track className={style.track}>
        <Base.Indicator className={style.bar} />
      </Base.Track>
      <div className={style.text}>
        <span>{total === null ? count(current) : `${count(current)} of ${count(total)}`}</span>
        {message && <span className={style.message}>{message}</span>}
      </div>
    </Base.Root>
  );
}
