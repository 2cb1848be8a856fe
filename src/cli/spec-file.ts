// Specs as a file has them: JSON, or the file that workers run, which exports jobs.

import { readFile } from "node:fs/promises";
import type { JobDefinition } from "../sdk/job.ts";
import { UsageError } from "./usage-error.ts";

export interface FileSpec {
  readonly id: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly output?: Readonly<Record<string, unknown>>;
  readonly [more: string]: unknown;
}

/** At least one. Throws a UsageError that names what is wrong with the file. */
export async function specsOf(file: string): Promise<readonly FileSpec[]> {
  const specs = /\.[cm]?[jt]s$/.test(file) ? await exported(file) : written(file, await textOf(file));
  if (specs.length === 0) throw new UsageError(`${file} has no specs in it`);
  return specs;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the specs cannot be read: ${why}`, { cause: error });
  }
}

function written(file: string, text: string): readonly FileSpec[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${file} is not JSON: ${why}`, { cause: error });
  }
  const many = Array.isArray(value) ? value : isObject(value) && "specs" in value ? value["specs"] : [value];
  if (!Array.isArray(many)) throw new UsageError(`${file}: specs is not a list`);
  const faults = many.flatMap((each: unknown, nth) =>
    faultsOf(each).map((fault) => `${file}: spec ${nth + 1} ${fault}`),
  );
  if (faults.length > 0) throw new UsageError(faults.join("\n"));
  return many as FileSpec[];
}

function faultsOf(spec: unknown): string[] {
  if (!isObject(spec)) return ["is not an object"];
  return [
    ...(typeof spec["id"] === "string" && spec["id"] !== "" ? [] : ["has no id"]),
    ...(isObject(spec["schema"]) ? [] : ["has no schema that is an object"]),
  ];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a worker that runs the file would register. */
async function exported(file: string): Promise<readonly FileSpec[]> {
  const [{ JobFileError, loadJobs }, { offerOwnPackage }, { specOf }] = await Promise.all([
    import("../sdk/job-file.ts"),
    import("../sdk/own-package.ts"),
    import("../sdk/job-spec.ts"),
  ]);
  offerOwnPackage();
  const jobs = await loadJobs(file).catch((error: unknown): readonly JobDefinition[] => {
    throw error instanceof JobFileError ? new UsageError(error.faults.join("\n"), { cause: error }) : error;
  });
  return jobs.map((job) => ({ id: job.name, ...specOf(job) }));
}
