import { actFlags, actUsage, pauseText } from "../act-flags.ts";
import type { JobAnswer, JobLine, PageAnswer, VersionsAnswer } from "../answers.ts";
import { type Asking, askingCommand } from "../asking-command.ts";
import { pathOf, roomOf, suggesting } from "../job-name.ts";
import { labelText } from "../labels.ts";
import { listQuery, pageFlags, pageUsage } from "../page-flags.ts";
import { paintOut, printJson, printLines, printPage, printTable } from "../print.ts";
import { printSchema } from "../print-schema.ts";
import { type Cell, type Column, detailLines } from "../table.ts";
import { atText } from "../task-text.ts";
import { UsageError } from "../usage-error.ts";
import { pauseOrResume } from "./queues.ts";

const usage = [
  "Usage: leadhand jobs [--room R] [options]",
  "       leadhand jobs NAME [options]",
  "       leadhand jobs versions NAME [options]",
  "       leadhand jobs pause NAME [--note TEXT] [--for D] [options]",
  "       leadhand jobs resume NAME [--note TEXT] [options]",
  "",
  "Lists jobs, newest first; or tells all about one, by its full name: what its",
  "payload has to look like, who serves it, what waits for it. `versions` tells which",
  "checksums the workers of a job announce, and whether anybody can run it. `pause`",
  "keeps all of it from being given out, until it is resumed; what runs goes on.",
  "",
  "  --room R        that this room sees: its own, @global's and @internal's",
  ...actUsage,
  ...pageUsage,
];

const columns: readonly Column[] = [
  { head: "JOB", least: 20, keepsEnd: true },
  { head: "WORKERS", right: true },
  { head: "PAUSED", least: 8, spare: 1 },
];

const help = "`leadhand jobs --help` says what it takes";

export const command = askingCommand({
  name: "jobs",
  summary: "list jobs, or show one with its schema",
  usage,
  flags: { room: { type: "string" }, ...actFlags, ...pageFlags },
  words: ["[NAME]", "[NAME]"],
  async run(asking) {
    const [name, second] = asking.words;
    if (name === "versions") return versions(asking, second);
    if (name === "pause" || name === "resume") return pauseJob(asking, name, second);
    if (second !== undefined) throw new UsageError(`"${second}" is one word too many; ${help}`);
    return name === undefined ? list(asking) : show(asking, name);
  },
});

async function list(asking: Asking): Promise<number> {
  const room = asking.flags["room"] as string | undefined;
  const path = room === undefined ? "/jobs" : `/rooms/${encodeURIComponent(room)}/jobs`;
  const { body, text } = await asking.ask<PageAnswer<JobLine>>("GET", `${path}${listQuery(asking)}`);
  if (asking.json) printJson(text);
  else printPage(body, "job", columns, cells);
  return 0;
}

/** A job that nobody serves is worth a look. */
function cells({ full_name, workers, pause }: JobLine): Cell[] {
  const count = String(workers.length);
  return [
    full_name,
    workers.length === 0 ? { text: count, style: "yellow" } : count,
    pause === null ? "" : { text: pauseText(pause), style: "yellow" },
  ];
}

async function show(asking: Asking, name: string): Promise<number> {
  const { ask, json, now } = asking;
  const room = (asking.flags["room"] as string | undefined) ?? roomOf(name) ?? "@global";
  const path = `/rooms/${encodeURIComponent(room)}/jobs/${pathOf(name)}`;
  const { body: job, text } = await suggesting(asking, name, () => ask<JobAnswer>("GET", path));
  if (json) {
    printJson(text);
    return 0;
  }
  const [pending, running] = await Promise.all(
    ["pending", "running"].map((status) => {
      const query = new URLSearchParams({ status, job: name, limit: "0" });
      return ask<PageAnswer<never>>("GET", `/tasks?${query}`).then(({ body }) => body.total);
    }),
  );
  const members: [string, Cell | null][] = [
    ["job", job.full_name],
    ["queue", job.queue],
    ["asks for", labelText(job.labels)],
    ["workers", job.workers.length === 0 ? { text: "none", style: "yellow" } : job.workers.join(", ")],
    ["tasks", `${pending} pending, ${running} running`],
    ["paused", job.pause === null ? null : { text: pauseText(job.pause), style: "yellow" }],
    ["registered", atText(job.created_at, now())],
    ["checksum", job.checksum],
    ["policy", job.policy === null ? null : JSON.stringify(job.policy)],
  ];
  printLines(detailLines(members, paintOut()));
  printSchema("payload", job.schema);
  if (job.output !== null) printSchema("result", job.output);
  return 0;
}

function pauseJob(asking: Asking, act: "pause" | "resume", name: string | undefined): Promise<number> {
  if (name === undefined) throw new UsageError(`NAME is missing; ${help}`);
  return suggesting(asking, name, () => pauseOrResume(asking, act, `/jobs/${pathOf(name)}`, name));
}

const versionColumns: readonly Column[] = [
  { head: "CHECKSUM", least: 20 },
  { head: "GETS TASKS" },
  { head: "WORKERS", right: true },
  { head: "WHO", least: 8 },
];

async function versions(asking: Asking, name: string | undefined): Promise<number> {
  if (name === undefined) throw new UsageError(`NAME is missing; ${help}`);
  const path = `/jobs/${pathOf(name)}/versions`;
  const { body, text } = await suggesting(asking, name, () => asking.ask<VersionsAnswer>("GET", path));
  if (asking.json) {
    printJson(text);
    return 0;
  }
  const members: [string, Cell | null][] = [
    ["job", body.job],
    ["checksum", body.checksum],
    ["since", atText(body.since, asking.now())],
    ["runnable", body.runnable ? "yes" : { text: `no: ${body.reason}`, style: "yellow" }],
  ];
  printLines(detailLines(members, paintOut()));
  console.log();
  printTable(versionColumns, body.versions.map(versionCells));
  return 0;
}

function versionCells({
  checksum,
  matching,
  worker_count: count,
  workers,
}: VersionsAnswer["versions"][number]): Cell[] {
  const who = workers.map(({ id, name, state }) => `${name ?? id}${state === "ONLINE" ? "" : ` (${state})`}`);
  return [checksum ?? "any", matching ? "yes" : { text: "no", style: "yellow" }, String(count), who.join(", ")];
}
