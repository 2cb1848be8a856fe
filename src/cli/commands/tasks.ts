import type { EventAnswer, PageAnswer, TaskAnswer } from "../answers.ts";
import { type Asking, askingCommand } from "../asking-command.ts";
import { checkedId } from "../ids.ts";
import { pathOf, suggesting } from "../job-name.ts";
import { listQuery, pageFlags, pageUsage } from "../page-flags.ts";
import { paintOut, printJson, printLines, printPage, printTable } from "../print.ts";
import { eventCells, eventColumns, taskCells, taskColumns, taskDetail } from "../task-text.ts";
import { UsageError } from "../usage-error.ts";

const statuses = ["pending", "claimed", "running", "completed", "failed", "cancelled"] satisfies TaskAnswer["status"][];

const usage = [
  "Usage: leadhand tasks [--query Q] [--status S] [--job NAME] [--room R] [options]",
  "       leadhand tasks ID [options]",
  "",
  "Lists tasks, newest first; or tells all about one, with its history.",
  "",
  "  --query Q       that it picks, as in 'state:failed error~timeout age<1h'",
  `  --status S      ${statuses.slice(0, 4).join(", ")},`,
  `                  ${statuses.slice(4).join(" or ")}`,
  "  --job NAME      of this job, by its full name",
  "  --room R        submitted to this room",
  ...pageUsage,
];

export const command = askingCommand({
  name: "tasks",
  summary: "list tasks, or show one with its history",
  usage,
  flags: {
    ...{ query: { type: "string" }, status: { type: "string" }, job: { type: "string" }, room: { type: "string" } },
    ...pageFlags,
  },
  words: ["[ID]"],
  async run(asking) {
    const [id] = asking.words;
    return id === undefined ? list(asking) : show(asking, checkedId(id));
  },
});

async function list(asking: Asking): Promise<number> {
  const { ask, flags, json, now } = asking;
  const { status, job, room, query } = flags as Readonly<Record<string, string | undefined>>;
  if (status !== undefined && !statuses.includes(status as TaskAnswer["status"])) {
    throw new UsageError(`--status: "${status}" is not ${statuses.join(", ")}`);
  }
  if (query !== undefined && job !== undefined && room !== undefined) {
    throw new UsageError("--query, --job and --room do not go together: write job:NAME into the query");
  }
  const path = pathFor({ flags: { ...flags, q: query } }, job, room);
  const work = () => ask<TaskPageAnswer>("GET", path);
  const { body, text } = await (job === undefined ? work() : suggesting(asking, job, work));
  if (json) printJson(text);
  else printPage(body, "task", taskColumns, (task) => taskCells(task, now()));
  if (body.scanned_through != null) console.error(`Only tasks made since ${body.scanned_through} were looked at`);
  return 0;
}

interface TaskPageAnswer extends PageAnswer<TaskAnswer> {
  /** Absent from lists of one job in one room. */
  readonly scanned_through?: string | null;
}

function pathFor(asking: Pick<Asking, "flags">, job: string | undefined, room: string | undefined): string {
  if (room === undefined) return `/tasks${listQuery(asking, ["q", "status", "job"])}`;
  const inRoom = `/rooms/${encodeURIComponent(room)}`;
  const query = listQuery(asking, ["q", "status"]);
  return job === undefined ? `${inRoom}/tasks${query}` : `${inRoom}/jobs/${pathOf(job)}/tasks${query}`;
}

async function show({ ask, flags, json, now }: Asking, id: string): Promise<number> {
  const foreign = ["query", "status", "job", "room", "limit", "offset"].find((flag) => flag in flags);
  if (foreign !== undefined) throw new UsageError(`--${foreign} is for lists, not for one task`);
  const { body: task, text } = await ask<TaskAnswer>("GET", `/tasks/${id}`);
  const { body: events } = await ask<PageAnswer<EventAnswer>>("GET", `/tasks/${id}/events?limit=500`);
  if (json) {
    printJson(`${text.trimEnd().slice(0, -1)},"events":${JSON.stringify(events.items)}}`);
    return 0;
  }
  printLines(taskDetail(task, now(), paintOut()));
  console.log();
  printTable(eventColumns, events.items.map(eventCells));
  return 0;
}
