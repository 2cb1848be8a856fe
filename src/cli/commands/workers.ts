import { actFlags, actUsage } from "../act-flags.ts";
import type { JobLine, PageAnswer, TaskAnswer, WorkerAnswer, WorkerEventAnswer, WorkerLine } from "../answers.ts";
import { type Asking, askingCommand } from "../asking-command.ts";
import { checkedId, isId } from "../ids.ts";
import { nearestName } from "../nearest-name.ts";
import { listQuery, pageFlags, pageUsage } from "../page-flags.ts";
import { paintOut, printJson, printLines, printPage, printTable } from "../print.ts";
import { detailLines } from "../table.ts";
import { taskCells, taskColumns } from "../task-text.ts";
import { UsageError } from "../usage-error.ts";
import { only, type WorkerAct, workerActFlags, workerActs } from "../worker-acts.ts";
import { workerRemovals } from "../worker-removals.ts";
import {
  wideCells,
  wideColumns,
  workerCells,
  workerColumns,
  workerEventCells,
  workerEventColumns,
  workerMembers,
} from "../worker-text.ts";

const usage = [
  "Usage: leadhand workers [--state S] [--room R] [--label K=V] [--wide] [options]",
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
  "       leadhand workers delete ID [options]",
  "       leadhand workers cleanup | cleanup-offline [--note TEXT] [options]",
  "",
  "Lists workers, newest first; or tells all about one, with the tasks it holds, or",
  "what happened to it, the oldest first; or does something to one. A paused worker",
  "gets nothing new; so does one that drains, which finishes what it has and stays;",
  "`resume` ends both. `evict` takes one task from its worker, and nothing counts",
  "against it. `commands` lists what a worker was told, and what it said. `delete`",
  "removes one for good, `cleanup` all that have been OFFLINE for longer than their",
  "door keeps them, `cleanup-offline` all that are OFFLINE now.",
  "",
  "  --state S       ONLINE, UNREACHABLE, OFFLINE or DELETED",
  "  --room R        that serve a job which this room sees",
  "  --label K=V     that carry this label",
  "  --deleted       also those that are gone",
  "  --wide          also OS, version, labels and lag, however wide that is",
  ...actUsage,
  "  --deadline D    drain: what it still holds after so long goes to others",
  "  --at-a-time N   drain --label: so many at once; one unless said",
  ...pageUsage,
];

export const command = askingCommand({
  name: "workers",
  summary: "list workers, show one with what it holds, pause, drain, limit or delete it",
  usage,
  flags: {
    ...{ state: { type: "string" }, room: { type: "string" }, label: { type: "string" }, deleted: { type: "boolean" } },
    ...{ wide: { type: "boolean" }, ...pageFlags, ...actFlags, ...workerActFlags },
  },
  words: ["[ACT]", "[ID]", "[N]"],
  async run(asking) {
    const [first, ...rest] = asking.words;
    if (first === undefined) return list(asking);
    const act = Object.hasOwn(acts, first) ? acts[first] : undefined;
    if (act !== undefined) return act(asking, rest);
    if (!isId(first)) throw noAct(first);
    only(rest, []);
    return show(asking, first);
  },
});

/** By the word that follows `leadhand workers`. */
const acts: Readonly<Record<string, WorkerAct>> = { events, ...workerActs, ...workerRemovals };

function noAct(typed: string): UsageError {
  const names = Object.keys(acts);
  const meant = nearestName(typed, names);
  const hint = meant === undefined ? "" : `, did you mean ${meant}?`;
  return new UsageError(`"${typed}" is neither an id nor an act${hint || "."} The acts are ${names.join(", ")}`);
}

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
  else if (asking.flags["wide"] === true) {
    const cells = (worker: WorkerLine) => [...workerCells(worker, asking.now()), ...wideCells(worker)];
    printPage(body, "worker", [...workerColumns, ...wideColumns], cells, { width: null });
  } else printPage(body, "worker", workerColumns, (worker) => workerCells(worker, asking.now()));
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

async function events(asking: Asking, words: readonly string[]): Promise<number> {
  const [id = ""] = only(words, ["ID"]);
  const path = `/workers/${checkedId(id)}/events${listQuery(asking, [])}`;
  const { body, text } = await asking.ask<PageAnswer<WorkerEventAnswer>>("GET", path);
  if (asking.json) printJson(text);
  else printPage(body, "event", workerEventColumns, workerEventCells);
  return 0;
}
