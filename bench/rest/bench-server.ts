// A server with a job, and words for it: what every measurement over HTTP begins with.

import { deepJob } from "../bench-catalog.ts";
import { payload } from "../bench-tasks.ts";
import type { MeasureInput, Timing } from "../measure.ts";
import type { Answer } from "./connection.ts";
import { type ServerCalls, serverCalls } from "./server-calls.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

export const room = "@global";
export const submitPath = `/v1/rooms/${room}/tasks/${deepJob}`;
export const submitBody = `{"payload":${payload(0)}}`;

export interface BenchServer extends ServerProcess, ServerCalls {
  /** As `input.timed`, with the processor time of the server. */
  timed(label: string, work: () => Promise<unknown>): Promise<RestTiming>;
}

export interface RestTiming extends Timing {
  readonly doorCpuMs: number;
}

export async function benchServer(input: MeasureInput): Promise<BenchServer> {
  const server = await startServer(input.place, input.profiles, input.broker);

  async function timed(label: string, work: () => Promise<unknown>): Promise<RestTiming> {
    const before = server.cpuMs();
    const timing = await input.timed(label, work);
    return { ...timing, doorCpuMs: server.cpuMs() - before };
  }

  return { ...server, ...serverCalls(server), timed };
}

export function expect({ status, body }: Answer, ...wanted: readonly number[]): string {
  if (!wanted.includes(status))
    throw new Error(`Answered ${status} instead of ${wanted.join(" or ")}: ${body.slice(0, 500)}`);
  return body;
}

/** Rate and processor time as figures; see `rateFigures` in figures.ts. */
export function rateOf(key: string, timing: RestTiming, count: number): Record<string, number> {
  const { ms, cpuMs, serverCpuMs, doorCpuMs } = timing;
  return {
    [key]: (1_000 * count) / ms,
    [`${key}-doorUs`]: (1_000 * doorCpuMs) / count,
    [`${key}-clientUs`]: (1_000 * cpuMs) / count,
    ...(serverCpuMs !== null && { [`${key}-postgresUs`]: (1_000 * serverCpuMs) / count }),
  };
}
