// What a child process is asked to do: set a stage, or measure something on one.

import type { SuiteName } from "./options.ts";
import type { Place } from "./place.ts";

/** What a stage says about itself: ids worth asking for, how large it came out. */
export type Facts = Readonly<Record<string, string | number>>;

/** Sizes, and words that choose. */
export type Parameters = Readonly<Record<string, number | string>>;

/** A private RabbitMQ. */
export interface Broker {
  readonly url: string;
  readonly pid: number;
}

export interface MeasureInput {
  readonly place: Place;
  readonly parameters: Parameters;
  /** Of the stage it runs on. */
  readonly facts: Facts;
  /** For whoever needs a message broker; null for all others. */
  readonly broker: Broker | null;
  /** Where profiles of other processes go; null for none. */
  readonly profiles: string | null;
  /** Runs `work` and tells what it took. Only this is covered by a profile. */
  timed(label: string, work: () => Promise<unknown>): Promise<Timing>;
}

export interface Timing {
  readonly ms: number;
  /** Of this process, all its threads together. It says more than the time where others use the machine too. */
  readonly cpuMs: number;
  /** Of PostgreSQL; null where there is none, or it cannot be told. */
  readonly serverCpuMs: number | null;
}

/** Processor time per task, in microseconds, as figures. */
export function cpuFigures({ cpuMs, serverCpuMs }: Timing, tasks: number, prefix = ""): Record<string, number> {
  const own = { [`${prefix}cpuUsEach`]: (1_000 * cpuMs) / tasks };
  return serverCpuMs === null ? own : { ...own, [`${prefix}serverCpuUsEach`]: (1_000 * serverCpuMs) / tasks };
}

export interface Measured {
  readonly figures?: Readonly<Record<string, number>>;
  readonly facts?: Facts;
  /** Sentences for the report, beside the figures. */
  readonly notes?: readonly string[];
}

export type Measure = (input: MeasureInput) => Promise<Measured>;

/** Files that export `measure`. */
export type MeasureFile = `stages/${string}` | `${SuiteName}/measures/${string}`;

export interface ChildJob {
  readonly file: MeasureFile;
  readonly place: Place;
  readonly parameters: Parameters;
  readonly facts: Facts;
  readonly broker: Broker | null;
  /** Where profiles go; null for none. */
  readonly profiles: string | null;
}

export type ChildAnswer = { readonly measured: Measured } | { readonly error: string };

/** A parameter that the table of measurements must have given. */
export function parameter(input: MeasureInput, name: string): number {
  const value = input.parameters[name];
  if (typeof value !== "number") throw new Error(`The measurement needs the parameter ${name}`);
  return value;
}

/** A parameter that is a word. */
export function word(input: MeasureInput, name: string): string {
  const value = input.parameters[name];
  if (typeof value !== "string") throw new Error(`The measurement needs the word ${name}`);
  return value;
}
