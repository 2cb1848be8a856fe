import style from "./trend.module.css";

export interface TrendProps {
  readonly label: string;
  readonly values: readonly number[];
  /** Drawn on top, of the same heights: what of it went wrong. */
  readonly bad?: readonly number[];
}

/** A row of small bars: enough to see whether it rises. */
export function Trend({ label, values, bad }: TrendProps) {
  const totals = values.map((value, at) => value + (bad?.[at] ?? 0));
  const top = Math.max(1, ...totals);
  const width = 100 / Math.max(1, values.length);
  return (
    <svg className={style.trend} viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      {totals.map((total, at) => {
        const whole = (total / top) * 24;
        const wrong = ((bad === undefined ? total : (bad[at] ?? 0)) / top) * 24;
        const place = { x: at * width, width: width * 0.8 };
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place in the row is what it is
          <g key={at}>
            <rect {...place} y={24 - whole} height={whole} className={style.good} />
            <rect {...place} y={24 - wrong} height={wrong} className={style.bad} />
          </g>
        );
      })}
    </svg>
  );
}
