// The shape of the table of measurements.

import type { MeasureFile, Parameters } from "./measure.ts";
import type { StoreName } from "./options.ts";

export interface Target {
  readonly atLeast?: number;
  readonly atMost?: number;
  /** What we would like beyond the target. */
  readonly goal?: number;
}

export type Targets = Partial<Record<StoreName, Target>>;

export type Unit = "/s" | "ms" | "µs" | "ms/s" | "MB" | "" | "%";

export interface Figure {
  readonly key: string;
  readonly title: string;
  readonly unit: Unit;
  readonly targets?: Targets;
  /** Told in the same row as the figure before it. */
  readonly beside?: boolean;
}

export interface Stage {
  readonly name: string;
  /** Made from a copy of this one. */
  readonly from?: string;
  readonly file: MeasureFile;
  readonly parameters: Parameters;
}

export interface Measurement {
  readonly name: string;
  readonly title: string;
  readonly stores: readonly StoreName[];
  /** Null: an empty database of its own. */
  readonly stage: string | null;
  readonly file: MeasureFile;
  readonly parameters: Parameters;
  readonly figures: readonly Figure[];
  /** How often, instead of three times. */
  readonly rounds?: number;
  /** How long a run may take, where three minutes are too short. */
  readonly secondsMax?: number;
}

/** Measured in turns, so that whatever drifts on the machine drifts for all of them. */
export interface Group {
  readonly name: string;
  readonly title: string;
  /** How it is measured, for the report. */
  readonly method: string;
  readonly measurements: readonly Measurement[];
  readonly comparisons?: readonly Comparison[];
}

/** How much of each figure of `base` is lost in `loaded`, in per cent. */
export interface Comparison {
  readonly name: string;
  readonly title: string;
  readonly base: string;
  readonly loaded: string;
  readonly lossMax: number;
}

export function isMet(value: number, { atLeast, atMost }: Target): boolean {
  return (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
}
