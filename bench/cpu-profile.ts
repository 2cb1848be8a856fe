// Profiles what is timed, and nothing else: set-up would drown it. Prints the functions by the time spent in themselves.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const samplingUs = 200;

export async function profiled<T>(folder: string, label: string, work: () => Promise<T>): Promise<T> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: samplingUs });
  await session.post("Profiler.start");
  const answer = await work();
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${label.replaceAll(" ", "-")}.cpuprofile`);
  writeFileSync(file, JSON.stringify(profile));
  console.log(`\n${label}, ${file}\n${topFunctions(profile).join("\n")}`);
  return answer;
}

/** What Node left in the folder of another process, of its main thread: other threads wait most of the time. */
export function tellProfiles(who: string, folder: string): void {
  const isMain = (name: string): boolean => /^CPU\..*\.0\.\d+\.cpuprofile$/.test(name);
  for (const file of readdirSync(folder)
    .filter(isMain)
    .map((name) => join(folder, name))) {
    const lines = topFunctions(JSON.parse(readFileSync(file, "utf8")), 60);
    console.log(`\n${who}, ${file}\n${lines.join("\n")}`);
  }
}

function topFunctions(profile: Profiler.Profile, linesMax = 30): string[] {
  const { nodes, samples = [], timeDeltas = [] } = profile;
  const selfUs = new Map<number, number>();
  for (const [index, id] of samples.entries()) selfUs.set(id, (selfUs.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  const total = timeDeltas.reduce((sum, delta) => sum + delta, 0);
  const byFunction = new Map<string, number>();
  for (const { id, callFrame } of nodes) {
    const where = callFrame.url.replace("file://", "").replace(root, "");
    const line = where === "" ? "" : `  ${where}:${callFrame.lineNumber + 1}`;
    const name = `${callFrame.functionName || "(anonymous)"}${line}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + (selfUs.get(id) ?? 0));
  }
  return [...byFunction]
    .sort(([, a], [, b]) => b - a)
    .slice(0, linesMax)
    .map(
      ([name, us]) =>
        `${((100 * us) / total).toFixed(1).padStart(5)} %  ${(us / 1_000).toFixed(0).padStart(6)} ms  ${name}`,
    );
}
