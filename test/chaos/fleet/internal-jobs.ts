// What the servers of the fleet run themselves.

import { job, type Task } from "../../../src/sdk/job.ts";
import { type Deed, perform, retry } from "./words.ts";

export const jobs = [
  job("modifiers:Inner", { retry }, async (task: Task) => {
    await perform(task.input as Deed, task.attempt);
    return { of: task.id };
  }),
];
