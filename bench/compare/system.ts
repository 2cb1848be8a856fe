// A job queue as the comparison sees it: one process submits, another one works.

import type { MeasureInput } from "../measure.ts";

export const systemNames = [
  "leadhand",
  "leadhand-rest",
  "leadhand-raw",
  "bullmq",
  "pg-boss",
  "graphile",
  "graphile-batched",
] as const;
export type SystemName = (typeof systemNames)[number];

/** What a worker in another process has to know. Plain JSON. */
export type Where = Readonly<Record<string, string | number>>;

export interface Producer {
  readonly where: Where;
  submit(n: number): Promise<unknown>;
  /** In as few calls as the system allows, at most two of them under way. */
  submitMany(tasks: number): Promise<unknown>;
  stop(): Promise<void>;
}

export interface Work {
  readonly concurrency: number;
  /** What it may hold beyond that. */
  readonly prefetch: number;
  /** The handler; `task` is the system's own id. */
  handle(task: string): unknown;
  /** So many more are done, as far as the system tells. */
  ended(tasks: number): void;
}

/** A file in systems/. */
export interface System {
  produce(input: MeasureInput): Promise<Producer>;
  /** Answers when it takes tasks; what it answers stops it. */
  work(where: Where, work: Work): Promise<() => Promise<unknown>>;
}

/** Only the one that is measured is loaded. */
export async function systemOf(name: string): Promise<System> {
  const known = systemNames.find((each) => each === name);
  if (known === undefined) throw new Error(`There is no system ${name}`);
  return (await import(`./systems/${known}.ts`)) as System;
}

/** Of a submit that carries many tasks. */
export const tasksPerCall = 1_000;

/** Calls with so many tasks each, two under way. */
export async function inCalls(tasks: number, call: (tasks: number) => Promise<unknown>): Promise<void> {
  let left = tasks;
  const loop = async (): Promise<void> => {
    while (left > 0) {
      const count = Math.min(tasksPerCall, left);
      left -= count;
      await call(count);
    }
  };
  await Promise.all([loop(), loop()]);
}
