import type { TaskAnswer } from "../answers.ts";
import { askingCommand } from "../asking-command.ts";
import { checkedId } from "../ids.ts";
import { printJson } from "../print.ts";
import { endCodes, endFlags, endUsage, taskEnd } from "../task-end.ts";
import { UsageError } from "../usage-error.ts";

const usage = [
  "Usage: leadhand retry ID [--wait | --follow] [options]",
  "",
  "Runs a task that has ended again, as a new task with the same payload, and prints",
  "the new id. What has ended stays as it is. A task that waits in a message broker's",
  "queue is told to the broker again, and keeps its id.",
  "",
  ...endUsage,
];

export const command = askingCommand({
  name: "retry",
  summary: "run an ended task again, as a new one",
  usage,
  flags: endFlags,
  words: ["ID"],
  exitCodes: endCodes,
  async run(asking) {
    const { ask, flags, json, say, words } = asking;
    if (flags["wait"] === true && flags["follow"] === true)
      throw new UsageError("--follow waits too; give one of them");
    const { body: task, text } = await ask<TaskAnswer>("POST", `/tasks/${checkedId(words[0] as string)}/retry`);
    if (flags["wait"] === true || flags["follow"] === true) {
      if (!json) say(`submitted ${task.id}`);
      return taskEnd(asking, task.id);
    }
    if (json) printJson(text);
    else console.log(task.id);
    return 0;
  },
});
