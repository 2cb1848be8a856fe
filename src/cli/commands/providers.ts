import { timeAgo } from "../../core/time-text.ts";
import type { PageAnswer } from "../answers.ts";
import { type Asking, askingCommand } from "../asking-command.ts";
import { pathOf, roomOf } from "../job-name.ts";
import { listQuery, pageFlags, pageUsage } from "../page-flags.ts";
import { paintOut, printJson, printLines, printPage } from "../print.ts";
import { type Column, detailLines } from "../table.ts";
import { atText } from "../task-text.ts";

const usage = [
  "Usage: leadhand providers [--room R] [options]",
  "       leadhand providers NAME [--room R] [options]",
  "",
  "Lists providers, newest first; or tells all about one, by its full name.",
  "",
  "  --room R        that this room sees: its own and @global's",
  ...pageUsage,
];

interface Provider {
  readonly id: string;
  readonly full_name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly worker_id: string;
  readonly created_at: string;
}

const columns: readonly Column[] = [
  { head: "PROVIDER", least: 20, keepsEnd: true },
  { head: "WORKER" },
  { head: "REGISTERED" },
];

export const command = askingCommand({
  name: "providers",
  summary: "list providers, or show one",
  usage,
  flags: { room: { type: "string" }, ...pageFlags },
  words: ["[NAME]"],
  async run(asking) {
    const [name] = asking.words;
    const room = asking.flags["room"] as string | undefined;
    if (name !== undefined) return show(asking, `${inRoom(room ?? roomOf(name) ?? "@global")}/${pathOf(name)}/info`);
    return list(asking, room === undefined ? "/providers" : inRoom(room));
  },
});

function inRoom(room: string): string {
  return `/rooms/${encodeURIComponent(room)}/providers`;
}

async function list(asking: Asking, path: string): Promise<number> {
  const { body, text } = await asking.ask<PageAnswer<Provider>>("GET", `${path}${listQuery(asking)}`);
  if (asking.json) printJson(text);
  else {
    printPage(body, "provider", columns, ({ full_name, worker_id, created_at }) => [
      ...[full_name, worker_id, timeAgo(created_at, asking.now())],
    ]);
  }
  return 0;
}

async function show({ ask, json, now }: Asking, path: string): Promise<number> {
  const { body: provider, text } = await ask<Provider>("GET", path);
  if (json) {
    printJson(text);
    return 0;
  }
  const { id, full_name, worker_id, created_at, schema } = provider;
  printLines(
    detailLines(
      [
        ["provider", full_name],
        ["id", id],
        ["worker", worker_id],
        ["registered", atText(created_at, now())],
      ],
      paintOut(),
    ),
  );
  console.log(`\nparameters, by JSON Schema:\n${JSON.stringify(schema, null, 2)}`);
  return 0;
}
