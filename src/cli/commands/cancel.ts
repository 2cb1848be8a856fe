import { ServerProblem } from "../../sdk/problem.ts";
import type { CancelledAnswer } from "../answers.ts";
import { askingCommand } from "../asking-command.ts";
import { grouped } from "../counted.ts";
import { checkedId } from "../ids.ts";
import { printJson } from "../print.ts";
import { refusalJson, refusalLines } from "../refusal-text.ts";

const usage = [
  "Usage: leadhand cancel ID… [options]",
  "",
  "Cancels tasks and their open children. A task that is running is told to stop; it",
  "counts as cancelled at once. One that is refused does not hold up the others.",
  "",
];

export const command = askingCommand({
  name: "cancel",
  summary: "cancel tasks",
  usage,
  words: ["ID…"],
  async run({ ask, words, json, say }) {
    const ids = words.map(checkedId);
    let refused = 0;
    for (const id of ids) {
      try {
        const { body, text } = await ask<CancelledAnswer>("POST", `/tasks/${id}/cancel`);
        const children = body.cancelled_children;
        const along = children === 0 ? "" : `, and ${children === 1 ? "1 child" : `${grouped(children)} children`}`;
        if (json) printJson(text);
        else console.log(`cancelled ${id}${along}`);
      } catch (error) {
        if (!(error instanceof ServerProblem)) throw error;
        refused += 1;
        if (json) console.error(refusalJson(error));
        else say((refusalLines(error) as string[]).join("\n"));
      }
    }
    return refused === 0 ? 0 : 1;
  },
});
