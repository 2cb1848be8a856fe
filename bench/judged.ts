// Every figure with what it was measured at and what it should be: the rows of the report, and of its list of misses.

import {
  type Comparison,
  type Figure,
  type Group,
  isMet,
  type Measurement,
  type Target,
  type Unit,
} from "./measurement.ts";
import type { StoreName } from "./options.ts";
import { type Results, type Summary, summaryOf } from "./results.ts";

export interface Judged {
  /** Names the figure in bench/reasons.json. */
  readonly id: string;
  readonly title: string;
  readonly store: StoreName;
  readonly unit: Unit;
  readonly summary: Summary;
  readonly target: Target | null;
  readonly met: boolean;
  readonly beside: readonly { readonly title: string; readonly unit: Unit; readonly value: number }[];
}

export function judgedFigures(results: Results, group: Group): Judged[] {
  const stores = [...new Set(group.measurements.flatMap((each) => each.stores))];
  return stores.flatMap((store) => [
    ...group.measurements.flatMap((measurement) => ofMeasurement(results, measurement, store)),
    ...(group.comparisons ?? []).flatMap((comparison) => ofComparison(results, group, comparison, store)),
  ]);
}

function ofMeasurement(results: Results, measurement: Measurement, store: StoreName): Judged[] {
  return measurement.figures.flatMap((figure, index) => {
    const summary = summaryOf(results, store, measurement.name, figure.key);
    if (figure.beside === true || summary === undefined) return [];
    const rest = measurement.figures.slice(index + 1);
    const end = rest.findIndex((each) => each.beside !== true);
    const beside = rest.slice(0, end < 0 ? rest.length : end).flatMap(({ key, title, unit }) => {
      const value = summaryOf(results, store, measurement.name, key)?.median;
      return value === undefined ? [] : [{ title, unit, value }];
    });
    return [judged(measurement.name, measurement.title, figure, { store, summary, beside })];
  });
}

function judged(
  name: string,
  title: string,
  { key, title: figure, unit, targets }: Figure,
  measured: Pick<Judged, "store" | "summary" | "beside">,
): Judged {
  const target = targets?.[measured.store] ?? null;
  const met = target === null || isMet(measured.summary.median, target);
  return { id: `${measured.store}/${name}/${key}`, title: `${title}: ${figure}`, unit, target, met, ...measured };
}

/** Of medians; the spread is that of the loaded runs against the median of the base. */
function ofComparison(results: Results, group: Group, comparison: Comparison, store: StoreName): Judged[] {
  const { name, title, base, loaded, lossMax } = comparison;
  const figures = group.measurements.find((each) => each.name === base)?.figures ?? [];
  return figures.flatMap((figure) => {
    if (figure.beside === true) return [];
    const before = summaryOf(results, store, base, figure.key);
    const after = summaryOf(results, store, loaded, figure.key);
    if (before === undefined || after === undefined) return [];
    const loss = (value: number): number => 100 * (1 - value / before.median);
    const { runs } = after;
    const summary = { median: loss(after.median), least: loss(after.most), most: loss(after.least), runs };
    const targets = { [store]: { atMost: lossMax } };
    return [judged(name, title, { ...figure, unit: "%", targets }, { store, summary, beside: [] })];
  });
}
