import type { LogAnswer, TaskAnswer } from "../answers.ts";
import { type Asking, askingCommand } from "../asking-command.ts";
import { checkedId } from "../ids.ts";
import { paintOut, printJson } from "../print.ts";
import { logLines, logText } from "../task-logs.ts";
import { taskStory } from "../task-stream.ts";
import { UsageError } from "../usage-error.ts";

const usage = [
  "Usage: leadhand logs ID [-f] [--level L] [options]",
  "",
  "Prints what a task has logged, oldest first. Times are UTC.",
  "",
  "  -f, --follow    go on until the task has ended",
  "  --level L       debug, info, warn or error: only these and worse; what a task",
  "                  keeps was decided when it was submitted",
];

const levels = ["debug", "info", "warn", "error"];

export const command = askingCommand({
  name: "logs",
  summary: "print a task's log, and follow it",
  usage,
  flags: { follow: { type: "boolean", short: "f" }, level: { type: "string" } },
  words: ["ID"],
  async run(asking) {
    const id = checkedId(asking.words[0] as string);
    const least = (asking.flags["level"] as string | undefined) ?? "debug";
    if (!levels.includes(least)) throw new UsageError(`--level: "${least}" is not ${levels.join(", ")}`);
    const print = printer(asking, least);
    if (asking.flags["follow"] !== true) {
      for await (const line of logLines(asking, id)) print(line);
      return 0;
    }
    let last: TaskAnswer | null = null;
    for await (const story of taskStory(asking, id)) {
      if ("line" in story) print(story.line);
      else last = story.news.task;
    }
    if (last !== null && !asking.json) asking.say(`task ${id} is ${last.status}`);
    return 0;
  },
});

function printer({ json }: Asking, least: string): (line: LogAnswer) => void {
  const paint = paintOut();
  return (line) => {
    if (levels.indexOf(line.level) < levels.indexOf(least)) return;
    if (json) printJson(JSON.stringify(line));
    else console.log(logText(line, paint));
  };
}
