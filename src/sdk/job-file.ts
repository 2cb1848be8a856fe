// A file that exports `jobs`, and `sessions` where they need some, as its author wrote it: what `leadhand worker FILE` loads.
// Whatever is wrong with it is told in words, all of it at once; TypeScript runs as it is.

import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Sessions } from "./amqp/sessions.ts";
import type { JobDefinition } from "./job.ts";

export interface JobFile {
  readonly jobs: readonly JobDefinition[];
  /** What the handlers work in; see `WorkerOptions`. */
  readonly sessions?: Sessions;
}

/** The file cannot be used as it is; each fault is a sentence. */
export class JobFileError extends Error {
  override readonly name = "JobFileError";
  readonly faults: readonly string[];

  constructor(file: string, faults: readonly string[], options?: ErrorOptions) {
    super(`${file}: ${faults.join("; ")}`, options);
    this.faults = faults.map((fault) => `${file}: ${fault}`);
  }
}

const example = 'export const jobs = [job("@global:modifiers:Rotate", {}, async (task) => …)]';

/** The jobs alone. Throws JobFileError. */
export async function loadJobs(file: string): Promise<readonly JobDefinition[]> {
  return (await loadJobFile(file)).jobs;
}

/** Runs the file. Throws JobFileError. */
export async function loadJobFile(file: string): Promise<JobFile> {
  const path = resolve(file);
  if (!existsSync(path)) throw new JobFileError(file, ["there is no such file"]);
  if (statSync(path).isDirectory())
    throw new JobFileError(file, ["is a folder; name the file in it that exports jobs"]);
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = await import(pathToFileURL(path).href);
  } catch (error) {
    throw new JobFileError(file, [importFault(error)], { cause: error });
  }
  const faults = faultsOf(exported);
  if (faults.length > 0) throw new JobFileError(file, faults);
  const { jobs, sessions } = exported as Readonly<{ jobs: readonly JobDefinition[]; sessions?: Sessions }>;
  return { jobs, ...(sessions !== undefined && { sessions }) };
}

function importFault(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${JSON.stringify(error)} when it was loaded`;
  const code = "code" in error ? String(error.code) : "";
  const [message = ""] = error.message.split("\n");
  if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND")
    return `something it imports is not there: ${message}`;
  if (code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") {
    return `uses TypeScript that cannot simply be left out, such as an enum: ${message}`;
  }
  if (code === "ERR_UNKNOWN_FILE_EXTENSION") return "is no JavaScript or TypeScript: .js, .mjs, .ts or .mts is";
  if (error instanceof SyntaxError || code === "ERR_INVALID_TYPESCRIPT_SYNTAX") return `cannot be read: ${message}`;
  return `failed when it was loaded: ${error.name}: ${message}`;
}

/** Also where another copy of this package made the jobs. */
function faultsOf(exported: Readonly<Record<string, unknown>>): string[] {
  const { jobs, sessions } = exported;
  if (jobs === undefined) return [missingFault(exported)];
  if (!Array.isArray(jobs)) return [`jobs is ${kindOf(jobs)}, not a list; write ${example}`];
  if (jobs.length === 0) return ["jobs is an empty list; a worker needs something to do"];
  return [...jobs.flatMap((each, nth) => jobFaults(each, nth)), ...doubleFaults(jobs), ...sessionFaults(sessions)];
}

function missingFault(exported: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(exported);
  const others = names.length === 0 ? "it exports nothing" : `it exports ${names.join(", ")}`;
  return `does not export jobs (${others}); write ${example}`;
}

function jobFaults(each: unknown, nth: number): string[] {
  const where = `jobs[${nth}]`;
  if (typeof each !== "object" || each === null || !("handler" in each)) {
    return [`${where} is ${kindOf(each)}, not what job(name, options, handler) answers`];
  }
  const { name, options, handler } = each as Partial<JobDefinition>;
  return [
    ...(isFullName(name) ? [] : [`${where} is named ${JSON.stringify(name)}, which is not room:category:name`]),
    ...(typeof handler === "function" ? [] : [`${where}: the handler is ${kindOf(handler)}, not a function`]),
    ...(typeof options === "object" && options !== null
      ? []
      : [`${where}: the options are ${kindOf(options)}, not an object`]),
  ];
}

function doubleFaults(jobs: readonly unknown[]): string[] {
  const names = jobs.map((each) => (each as Partial<JobDefinition> | null)?.name);
  const doubles = names.filter((name, nth) => typeof name === "string" && names.indexOf(name) !== nth);
  return [...new Set(doubles)].map((name) => `"${name}" is there twice`);
}

const sessionSteps = ["begin", "commit", "rollback"] as const;

function sessionFaults(sessions: unknown): string[] {
  if (sessions === undefined) return [];
  if (typeof sessions !== "object" || sessions === null) {
    return [`sessions is ${kindOf(sessions)}, not an object with ${sessionSteps.join(", ")}`];
  }
  const given = sessions as Partial<Sessions>;
  return sessionSteps.flatMap((step) =>
    typeof given[step] === "function" ? [] : [`sessions.${step} is ${kindOf(given[step])}, not a function`],
  );
}

function isFullName(name: unknown): boolean {
  return typeof name === "string" && /^[^:]+:[^:]+:./s.test(name);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return typeof value === "function" ? "a function" : `a ${typeof value}`;
}
