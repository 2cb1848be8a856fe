// A process of its own for every stage and every run, so that memory and compiled code are those of that run alone.

import { profiled } from "./cpu-profile.ts";
import type { ChildAnswer, ChildJob, Measure, Timing } from "./measure.ts";
import type { Place } from "./place.ts";
import { serverCpuMs } from "./server-cpu.ts";

// Whoever asked has gone.
process.once("disconnect", () => process.exit(1));

const job = JSON.parse(process.argv[2] as string) as ChildJob;
const answer = await perform(job).catch((error: unknown): ChildAnswer => ({ error: textOf(error) }));
process.send?.(answer, () => process.exit());

async function perform({ file, place, parameters, facts, broker, profiles }: ChildJob): Promise<ChildAnswer> {
  const { measure } = (await import(`./${file}.ts`)) as { measure: Measure };
  return { measured: await measure({ place, parameters, facts, broker, profiles, timed }) };

  async function timed(label: string, work: () => Promise<unknown>): Promise<Timing> {
    if (profiles === null) return timingOf(place, work);
    return profiled(profiles, label, () => timingOf(place, work));
  }
}

async function timingOf(place: Place, work: () => Promise<unknown>): Promise<Timing> {
  const serverBefore = serverCpuMs(place);
  const startedAt = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  const ms = performance.now() - startedAt;
  const serverAfter = serverCpuMs(place);
  const server = serverBefore === null || serverAfter === null ? null : serverAfter - serverBefore;
  return { ms, cpuMs: (user + system) / 1_000, serverCpuMs: server };
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
