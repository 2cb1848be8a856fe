import type { PageAnswer, RoomLine } from "../answers.ts";
import { askingCommand } from "../asking-command.ts";
import { listQuery, pageFlags, pageUsage } from "../page-flags.ts";
import { printJson, printPage } from "../print.ts";
import type { Column } from "../table.ts";

const usage = [
  "Usage: leadhand rooms [options]",
  "",
  "Lists the rooms that have jobs of their own, as far as the token sees them.",
  "",
  ...pageUsage,
];

const columns: readonly Column[] = [
  { head: "ROOM", least: 12 },
  { head: "JOBS", right: true },
];

export const command = askingCommand({
  name: "rooms",
  summary: "list rooms that have jobs",
  usage,
  flags: pageFlags,
  async run(asking) {
    const { body, text } = await asking.ask<PageAnswer<RoomLine>>("GET", `/rooms${listQuery(asking)}`);
    if (asking.json) printJson(text);
    else printPage(body, "room", columns, ({ room_id, job_count }) => [room_id, String(job_count)]);
    return 0;
  },
});
