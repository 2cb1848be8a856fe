// Executors of internal jobs as processes of their own, with a version of the jobs that no other test has.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock, systemIds } from "../../src/server/system.ts";
import { until } from "../../src/testing/until.ts";
import { type LeadhandProcess, leadhand, temporaryFolder } from "../leadhand-process.ts";

const jobs = new URL("./jobs.ts", import.meta.url).href;

/** A file with all jobs of jobs.ts and one more, which nobody else has. */
export async function ownJobs(): Promise<string> {
  const file = join(await temporaryFolder(), "jobs.ts");
  const own = `Own-${systemIds(systemClock()).next()}`;
  await writeFile(
    file,
    `import { jobs as all } from ${JSON.stringify(jobs)};\n` +
      `export const jobs = [...all, { name: "modifiers:${own}", options: {}, handler() {} }];\n`,
  );
  return file;
}

export interface ExecutorOptions {
  readonly url: string;
  readonly file: string;
  readonly places: number;
  readonly graceSeconds?: number;
}

/** `leadhand internal-worker`, once it is ready. */
export async function executorProcess({
  url,
  file,
  places,
  graceSeconds = 2,
}: ExecutorOptions): Promise<LeadhandProcess> {
  const settings = { LEADHAND_AMQP_URL: url, LEADHAND_WORKER_SHUTDOWN_GRACE_SECONDS: String(graceSeconds) };
  const process = leadhand(["internal-worker", file, "--places", String(places)], settings);
  let over = false;
  void process.ended.then(() => {
    over = true;
  });
  await until("the executor is ready", () => over || process.out().includes("ready"), 30_000);
  if (over) throw new Error(`No executor:\n${process.out()}${process.err()}`);
  return process;
}
