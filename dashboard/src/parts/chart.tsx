import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { themeNow, watchTheme } from "../shell/theme.ts";
import style from "./chart.module.css";
import { countSteps } from "./chart-steps.ts";

export interface Series {
  readonly label: string;
  /** Name of a colour of tokens.css, without the dashes. */
  readonly color: string;
  readonly values: readonly (number | null)[];
  readonly fill?: boolean;
}

export interface ChartProps {
  /** Says to those who do not see it what it shows. */
  readonly label: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly show?: (value: number) => string;
  readonly height?: number;
  /** The last value is still growing: the way to it is dashed, so that nobody takes it for a fall. */
  readonly unfinished?: boolean;
  /** How far marks at the side may be apart. */
  readonly steps?: readonly number[];
}

export function Chart(props: ChartProps) {
  const { label, times, series, show = String, height = 180, unfinished = false, steps = countSteps } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const theme = useSyncExternalStore(watchTheme, themeNow);
  const [pointed, setPointed] = useState<number | null>(null);
  // Pointing at it draws it anew only when something else changed too.
  const data = useMemo(
    () => [times, ...linesOf(series, unfinished)] as unknown as uPlot.AlignedData,
    [times, series, unfinished],
  );
  const shape = [theme, height, unfinished, ...series.map(({ label: name, color }) => name + color)].join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: made anew only when its shape changes; data follow below
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const made = new uPlot(
      optionsOf({ series, show, height, unfinished, steps, width: element.clientWidth, onPoint: setPointed }),
      data,
      element,
    );
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);

  useEffect(() => {
    plot.current?.setData(data);
  }, [data]);

  return (
    <figure className={style.chart} aria-label={label} role="img">
      <div ref={place} style={{ minHeight: height }} />
      <figcaption className={style.legend}>
        {series.map(({ label: name, color, values }) => (
          <span key={name}>
            <i style={{ background: `var(--${color})` }} />
            {name} {pointed !== null && <b>{shown(values[pointed], show)}</b>}
          </span>
        ))}
      </figcaption>
      {pointed !== null && times[pointed] !== undefined && (
        <span className={style.when}>{moment.format(times[pointed] * 1_000)}</span>
      )}
    </figure>
  );
}

function shown(value: number | null | undefined, show: (value: number) => string): string {
  return value == null ? "–" : show(value);
}

/** What is drawn in full and, where that is wanted, of each the way to its last value. */
function linesOf(series: readonly Series[], unfinished: boolean): readonly (readonly (number | null)[])[] {
  const all = series.map(({ values }) => values);
  if (!unfinished) return all;
  return [
    ...all.map((values) => values.map((value, at) => (at === values.length - 1 ? null : value))),
    ...all.map((values) => values.map((value, at) => (at < values.length - 2 ? null : value))),
  ];
}

interface Made extends Required<Pick<ChartProps, "series" | "show" | "height" | "unfinished" | "steps">> {
  readonly width: number;
  /** At which of the times the pointer is. */
  readonly onPoint: (at: number | null) => void;
}

function optionsOf({ series, show, height, unfinished, steps, width, onPoint }: Made): uPlot.Options {
  const colors = getComputedStyle(document.documentElement);
  const color = (name: string) => resolved(colors.getPropertyValue(`--${name}`));
  const font = `12px ${colors.getPropertyValue("--sans")}`;
  const axis = { font, stroke: color("text-soft"), grid: { stroke: color("line"), width: 1 }, ticks: { show: false } };
  return {
    width,
    height,
    legend: { show: false },
    // Half of the last time stands beyond the last mark.
    padding: [8, 30, 0, 0],
    cursor: { y: false, points: { size: 6 }, drag: { x: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [
      // So far apart that times with seconds do not touch.
      { ...axis, size: 28, space: 76, values: (_, ticks) => ticks.map((tick) => clock(tick, ticks)) },
      {
        ...axis,
        size: roomFor,
        values: (_, ticks) => ticks.map((tick) => show(tick)),
        incrs: [...steps],
      },
    ],
    series: [
      {},
      ...series.map((one) => lineOf(one, color(one.color))),
      ...(unfinished ? series : []).map(({ label, color: name }) => ({
        ...lineOf({ label, color: name, values: [] }, color(name)),
        dash: [3, 4],
      })),
    ],
  };
}

function lineOf({ label, fill }: Series, stroke: string): uPlot.Series {
  return {
    label,
    stroke,
    width: 1.6,
    spanGaps: false,
    // A value between two gaps is no line: it would not be seen.
    points: { show: true, size: 4, filter: (plot: uPlot, at: number) => lonely(plot.data[at] ?? []) },
    ...(fill && { fill: `color-mix(in srgb, ${stroke} 16%, transparent)` }),
  };
}

/** For the longest of the words at the side, in pixels. */
function roomFor(_: uPlot, words: readonly string[] | null): number {
  return 18 + 7 * Math.max(4, ...(words ?? []).map((word) => word.length));
}

function lonely(values: ArrayLike<number | null | undefined>): number[] {
  const alone: number[] = [];
  for (let at = 0; at < values.length; at += 1) {
    if (values[at] != null && values[at - 1] == null && values[at + 1] == null) alone.push(at);
  }
  return alone;
}

const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const second = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });
const moment = new Intl.DateTimeFormat(undefined, {
  ...{ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
});
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/** As fine as ticks are apart: no two are told the same. */
function clock(tick: number, ticks: readonly number[]): string {
  const apart = (ticks[1] ?? tick) - (ticks[0] ?? tick);
  const isMidnight = new Date(tick * 1_000).getHours() + new Date(tick * 1_000).getMinutes() === 0;
  const fitting = apart >= 86_400 || (apart >= 3_600 && isMidnight) ? day : apart >= 60 ? time : second;
  return fitting.format(tick * 1_000);
}

/** A canvas knows nothing of light-dark(): an element is asked what it came to. */
function resolved(value: string): string {
  const probe = document.createElement("i");
  probe.style.color = value;
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}
