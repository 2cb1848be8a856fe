import type { RestReply } from "../../sdk/rest-api.ts";
import { systemSecret } from "../../server/system.ts";
import type { TaskAnswer } from "../answers.ts";
import { type Asking, askingCommand } from "../asking-command.ts";
import { pathOf, roomOf, suggesting } from "../job-name.ts";
import { isWorthAnotherTry, patience } from "../patience.ts";
import { payloadText } from "../payload-argument.ts";
import { printJson } from "../print.ts";
import { isNobodyThere } from "../refusal-text.ts";
import { submitBody, submitFlags } from "../submit-request.ts";
import { endCodes, endFlags, endUsage, taskEnd } from "../task-end.ts";
import { UsageError } from "../usage-error.ts";

const usage = [
  "Usage: leadhand submit JOB [PAYLOAD] [--wait | --follow] [options]",
  "",
  "Submits a task and prints its id. Once it is printed the task is on the server's",
  "disk. Where no answer came, the same request is sent again under the same key,",
  "so that it is never two tasks.",
  "",
  "  JOB             the full name, room:category:name",
  "  PAYLOAD         a JSON object, @file, or - for standard input; {} unless said",
  "",
  ...endUsage,
  "  --room R        where the task belongs; the job's own room unless said",
  "  --priority N    higher first; 0 unless said",
  "  --delay D       not before 30s, 5m, 2h … from now",
  "  --at TIME       not before this time, as in 2026-11-15T18:30:00Z",
  "  --queue Q       else the job's, else default",
  "  --parent ID     a task that is open; its end takes this one with it",
  "  --label K=V     only for workers that carry this label; may be repeated",
  "  --attempts N    how often it is tried, over what the job says",
  "  --timeout D     running longer, it has failed",
  "  --idempotency-key K",
  "                  the same key within 24 hours is the same task; one is made up",
  "                  unless said",
];

export const command = askingCommand({
  name: "submit",
  summary: "submit a task, and wait for its result",
  usage,
  flags: { ...submitFlags, ...endFlags },
  words: ["JOB", "[PAYLOAD]"],
  exitCodes: endCodes,
  async run(asking) {
    const { flags, json, say } = asking;
    const [job, given] = asking.words as [string, string?];
    if (flags["wait"] === true && flags["follow"] === true)
      throw new UsageError("--follow waits too; give one of them");
    const waits = flags["wait"] === true || flags["follow"] === true;
    const body = submitBody(flags, await payloadText(given, asking.signal));
    const room = (flags["room"] as string | undefined) ?? roomOf(job) ?? "@global";
    const path = `/rooms/${encodeURIComponent(room)}/tasks/${pathOf(job)}`;
    const { body: task, text } = await suggesting(asking, job, () => submitted(asking, path, body));
    if (waits) {
      if (!json) say(`submitted ${task.id}`);
      return taskEnd(asking, task.id);
    }
    if (json) printJson(text);
    else console.log(task.id);
    return 0;
  },
});

/** Some four seconds: whoever submits wants to know. */
const triesMax = 4;

/** The key makes it safe to send it again; a server that was never there is not waited for. */
async function submitted(asking: Asking, path: string, body: string): Promise<RestReply<TaskAnswer>> {
  const { ask, flags, say } = asking;
  const key = (flags["idempotency-key"] as string | undefined) ?? systemSecret();
  const patient = patience(asking, triesMax);
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await ask<TaskAnswer>("POST", path, { body, headers: { "idempotency-key": key } });
    } catch (error) {
      if (isFirst && isNobodyThere(error)) throw error;
      if (isFirst && isWorthAnotherTry(error)) say("no answer came; sending it again under the same key");
      await patient.after(error);
    }
  }
}
