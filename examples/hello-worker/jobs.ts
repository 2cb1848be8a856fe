// The job, for both sides: the worker does it, and the client knows from it what to send and what comes back.

import { job } from "leadhand";
import { z } from "zod";

export const hello = job(
  "lab:modifiers:hello",
  {
    input: z.object({ name: z.string().min(1), times: z.int().min(1).max(10).default(1) }),
    output: z.object({ greeting: z.string() }),
  },
  (task) => {
    const { name, times } = task.input;
    task.log.info("greeting", name);
    return { greeting: `${"Hello, ".repeat(times)}${name}!` };
  },
);
