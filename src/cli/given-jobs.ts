// The file with jobs that a command was given. Whatever is wrong with it is wrong with the command line.

import { type JobFile, JobFileError, loadJobFile } from "../sdk/job-file.ts";
import { offerOwnPackage } from "../sdk/own-package.ts";
import { UsageError } from "./usage-error.ts";

/** Runs the file, which finds this package as `leadhand`. Throws a UsageError. */
export async function givenJobs(file: string): Promise<JobFile> {
  offerOwnPackage();
  try {
    return await loadJobFile(file);
  } catch (error) {
    throw error instanceof JobFileError ? new UsageError(error.faults.join("\n"), { cause: error }) : error;
  }
}
