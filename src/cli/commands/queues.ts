import type { Static } from "typebox";
import type { NamedPause, QueueSummary } from "../../protocol/rest/control-bodies.ts";
import { actBody, actFlags, actUsage, pauseText, refuseFlags } from "../act-flags.ts";
import type { PageAnswer } from "../answers.ts";
import { type Asking, askingCommand } from "../asking-command.ts";
import { grouped } from "../counted.ts";
import { listQuery, pageFlags, pageUsage } from "../page-flags.ts";
import { printJson, printPage } from "../print.ts";
import type { Cell, Column } from "../table.ts";
import { UsageError } from "../usage-error.ts";

type QueueLine = Static<typeof QueueSummary>;
type PauseAnswer = Static<typeof NamedPause>;

const usage = [
  "Usage: leadhand queues [options]",
  "       leadhand queues pause NAME [--note TEXT] [--for D] [options]",
  "       leadhand queues resume NAME [--note TEXT] [options]",
  "",
  "Lists queues with how much waits in them, by a count that may be some seconds",
  "old; or pauses one: nobody is given anything of it, until it is resumed.",
  "",
  ...actUsage,
  ...pageUsage,
];

const columns: readonly Column[] = [
  { head: "QUEUE", least: 8 },
  { head: "WAITING", right: true },
  { head: "HELD", right: true },
  { head: "PAUSED", least: 8 },
];

const help = "`leadhand queues --help` says what it takes";

export const command = askingCommand({
  name: "queues",
  summary: "list queues, or pause and resume one",
  usage,
  flags: { ...actFlags, ...pageFlags },
  words: ["[ACT]", "[NAME]"],
  async run(asking) {
    const [act, name] = asking.words;
    if (act === undefined) return list(asking);
    if (act !== "pause" && act !== "resume") throw new UsageError(`"${act}" is not pause or resume; ${help}`);
    if (name === undefined) throw new UsageError(`NAME is missing; ${help}`);
    return pauseOrResume(asking, act, `/queues/${encodeURIComponent(name)}`, name);
  },
});

async function list(asking: Asking): Promise<number> {
  const { body, text } = await asking.ask<PageAnswer<QueueLine>>("GET", `/queues${listQuery(asking)}`);
  if (asking.json) printJson(text);
  else printPage(body, "queue", columns, cells);
  return 0;
}

function cells({ name, waiting, held, pause }: QueueLine): Cell[] {
  const paused: Cell = pause === null ? "" : { text: pauseText(pause), style: "yellow" };
  return [name, grouped(waiting), grouped(held), paused];
}

/** For queues and jobs alike. */
export async function pauseOrResume(
  asking: Asking,
  act: "pause" | "resume",
  path: string,
  name: string,
): Promise<number> {
  if (act === "resume") refuseFlags(asking.flags, `${asking.name} resume`, ["for"]);
  const ask = { body: actBody(asking.flags) };
  const { body, text } = await asking.ask<PauseAnswer | { ended: PauseAnswer | null }>("POST", `${path}/${act}`, ask);
  if (asking.json) printJson(text);
  else if (!("ended" in body)) console.log(`${name} is paused ${pauseText(body)}`);
  else console.log(body.ended === null ? `${name} was not paused` : `${name} goes on`);
  return 0;
}
