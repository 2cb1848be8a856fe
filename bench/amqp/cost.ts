// What each message costs the processors, by who has to do with it.

import type { Actor } from "../live/actor.ts";
import type { Broker, MeasureInput, Timing } from "../measure.ts";
import type { Figure } from "../measurement.ts";
import type { BenchServer } from "../rest/bench-server.ts";
import { processCpuMs } from "../server-cpu.ts";

export interface Involved {
  readonly server: BenchServer | null;
  readonly crew: readonly Actor[];
  readonly broker: Broker;
}

export interface Costly extends Timing {
  readonly doorCpuMs: number;
  readonly crewCpuMs: number;
  readonly brokerCpuMs: number;
}

export async function timedCost(
  input: MeasureInput,
  label: string,
  { server, crew, broker }: Involved,
  work: () => Promise<unknown>,
): Promise<Costly> {
  const now = () => ({
    doorCpuMs: server?.cpuMs() ?? 0,
    crewCpuMs: crew.reduce((sum, actor) => sum + actor.cpuMs(), 0),
    brokerCpuMs: processCpuMs(broker.pid) ?? 0,
  });
  const before = now();
  const timing = await input.timed(label, work);
  const after = now();
  return {
    ...timing,
    doorCpuMs: after.doorCpuMs - before.doorCpuMs,
    crewCpuMs: after.crewCpuMs - before.crewCpuMs,
    brokerCpuMs: after.brokerCpuMs - before.brokerCpuMs,
  };
}

/** For a figure of this key; see `costFigures`. */
export function costOf(key: string, costly: Costly, count: number): Record<string, number> {
  const each = (ms: number): number => (1_000 * ms) / count;
  return {
    [`${key}-crewUs`]: each(costly.crewCpuMs),
    [`${key}-brokerUs`]: each(costly.brokerCpuMs),
    ...(costly.doorCpuMs > 0 && { [`${key}-doorUs`]: each(costly.doorCpuMs) }),
    ...(costly.serverCpuMs !== null && { [`${key}-postgresUs`]: each(costly.serverCpuMs) }),
  };
}

export function costFigures(key: string): Figure[] {
  const also = (word: string, title: string): Figure => ({ key: `${key}-${word}`, title, unit: "µs", beside: true });
  return [
    also("crewUs", "CPU of the consumers each"),
    also("doorUs", "of the server"),
    also("brokerUs", "of RabbitMQ"),
    also("postgresUs", "of PostgreSQL"),
  ];
}
