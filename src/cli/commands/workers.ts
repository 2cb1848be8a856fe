import { actFlags, actUsage } from "../act-flags.ts";
import type { JobLine, PageAnswer, TaskAnswer, WorkerAnswer, WorkerEventAnswer, WorkerLine } from "../answers.ts";
import { type Asking, askingCommand } from "../asking-command.ts";
import { checkedId } from "../ids.ts";
import { listQuery, pageFlags, pageUsage } from "../page-flags.ts";
import { paintOut, printJson, printLines, printPage, printTable } from "../print.ts";
import { detailLines } from "../table.ts";
import { taskCells, taskColumns } from "../task-text.ts";
import { UsageError } from "../usage-error.ts";
import { workerActFlags, workerActs } from "../worker-acts.ts";
import { workerCells, workerColumns, workerEventCells, workerEventColumns, workerMembers } from "../worker-text.ts";

const usage = [
  "Usage: leadhand workers [--state S] [--room R] [--label K=V] [options]",
  "       leadhand workers ID [options]",
  "       leadhand workers events ID [options]",
  "       leadhand workers pause ID [--note TEXT] [--for D] [options]",
  "       leadhand workers resume ID [--note TEXT] [options]",
  "       leadhand workers drain ID [--deadline D] [--note TEXT] [options]",
  "       leadhand workers drain --label K=V [--at-a-time N] [--deadline D] [options]",
  "       leadhand workers drains | stop-drain ID [options]",
  "       leadhand workers concurrency ID N|none [--note TEXT] [options]",
  "       leadhand workers evict TASK [--note TEXT] [options]",
  "       leadhand workers commands ID [options]",
  "",
  "Lists workers, newest first; or tells all about one, with the tasks it holds, or",
  "what happened to it, the oldest first; or does something to one. A paused worker",
  "gets nothing new; so does one that drains, which finishes what it has and stays;",
  "`resume` ends both. `evict` takes one task from its worker, and nothing counts",
  "against it. `commands` lists what a worker was told, and what it said.",
  "",
  "  --state S       ONLINE, UNREACHABLE, OFFLINE or DELETED",
  "  --room R        that serve a job which this room sees",
  "  --label K=V     that carry this label",
  "  --deleted       also those that are gone",
  ...actUsage,
  "  --deadline D    drain: what it still holds after so long goes to others",
  "  --at-a-time N   drain --label: so many at once; one unless said",
  ...pageUsage,
];

export const command = askingCommand({
  name: "workers",
  summary: "list workers, show one with what it holds, pause, drain or limit it",
  usage,
  flags: {
    ...{ state: { type: "string" }, room: { type: "string" }, label: { type: "string" }, deleted: { type: "boolean" } },
    ...{ ...pageFlags, ...actFlags, ...workerActFlags },
  },
  words: ["[ACT]", "[ID]", "[N]"],
  async run(asking) {
    const [id, second] = asking.words;
    if (id === "events") return events(asking, second);
    const act = id !== undefined && Object.hasOwn(workerActs, id) ? workerActs[id] : undefined;
    if (act !== undefined) return act(asking, asking.words.slice(1));
    if (second !== undefined) {
      throw new UsageError(`"${second}" is one word too many; \`leadhand workers --help\` says what it takes`);
    }
    return id === undefined ? list(asking) : show(asking, checkedId(id));
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
