import type { JobLine, PageAnswer, TaskAnswer, WorkerAnswer, WorkerEventAnswer, WorkerLine } from "../answers.ts";
import { type Asking, askingCommand } from "../asking-command.ts";
import { checkedId } from "../ids.ts";
import { listQuery, pageFlags, pageUsage } from "../page-flags.ts";
import { paintOut, printJson, printLines, printPage, printTable } from "../print.ts";
import { detailLines } from "../table.ts";
import { taskCells, taskColumns } from "../task-text.ts";
import { UsageError } from "../usage-error.ts";
import { workerCells, workerColumns, workerEventCells, workerEventColumns, workerMembers } from "../worker-text.ts";

const usage = [
  "Usage: leadhand workers [--state S] [--room R] [--label K=V] [options]",
  "       leadhand workers ID [options]",
  "       leadhand workers events ID [options]",
  "",
  "Lists workers, newest first; or tells all about one, with the tasks it holds; or",
  "what happened to one, the oldest first.",
  "",
  "  --state S       ONLINE, UNREACHABLE, OFFLINE or DELETED",
  "  --room R        that serve a job which this room sees",
  "  --label K=V     that carry this label",
  "  --deleted       also those that are gone",
  ...pageUsage,
];

export const command = askingCommand({
  name: "workers",
  summary: "list workers, or show one with what it holds",
  usage,
  flags: {
    ...{ state: { type: "string" }, room: { type: "string" }, label: { type: "string" }, deleted: { type: "boolean" } },
    ...pageFlags,
  },
  words: ["[ID]", "[ID]"],
  async run(asking) {
    const [word, id] = asking.words;
    if (word === undefined) return list(asking);
    if (word === "events") return events(asking, id);
    if (id !== undefined)
      throw new UsageError(`"${id}" is one word too many; \`leadhand workers --help\` says what it takes`);
    return show(asking, checkedId(word));
  },
});

async function list(asking: Asking): Promise<number> {
  const { deleted, state } = asking.flags;
  const flags = {
    ...asking.flags,
    ...(deleted === true && { find_deleted: true }),
    ...(state !== undefined && { state: String(state).toUpperCase() }),
  };
  const query = listQuery({ flags }, ["state", "room", "label", "find_deleted"]);
  const { body, text } = await asking.ask<PageAnswer<WorkerLine>>("GET", `/workers${query}`);
  if (asking.json) printJson(text);
  else printPage(body, "worker", workerColumns, (worker) => workerCells(worker, asking.now()));
  return 0;
}

async function show({ ask, json, now }: Asking, id: string): Promise<number> {
  const { body: worker, text } = await ask<WorkerAnswer>("GET", `/workers/${id}`);
  if (json) {
    printJson(text);
    return 0;
  }
  const [{ body: jobs }, ...held] = await Promise.all([
    ask<PageAnswer<JobLine>>("GET", `/workers/${id}/jobs?limit=500`),
    ...["running", "claimed"].map((status) =>
      ask<PageAnswer<TaskAnswer>>("GET", `/workers/${id}/tasks?limit=100&status=${status}`),
    ),
  ]);
  printLines(detailLines(workerMembers(worker, now()), paintOut()));
  if (jobs.items.length > 0) {
    console.log();
    printTable(
      [{ head: "JOB" }],
      jobs.items.map(({ full_name }) => [full_name]),
    );
  }
  const tasks = held.flatMap(({ body }) => body.items);
  if (tasks.length > 0) {
    console.log();
    printTable(
      taskColumns,
      tasks.map((task) => taskCells(task, now())),
    );
  }
  return 0;
}

async function events(asking: Asking, id: string | undefined): Promise<number> {
  if (id === undefined) throw new UsageError("ID is missing; `leadhand workers --help` says what it takes");
  const path = `/workers/${checkedId(id)}/events${listQuery(asking, [])}`;
  const { body, text } = await asking.ask<PageAnswer<WorkerEventAnswer>>("GET", path);
  if (asking.json) printJson(text);
  else printPage(body, "event", workerEventColumns, workerEventCells);
  return 0;
}
