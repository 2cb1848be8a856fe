import type { CommandRecord } from "../../ports/records.ts";
import type { Find } from "../../ports/store-finds.ts";
import type { Page, Reads } from "../../ports/store-reads.ts";
import { frozenCopy } from "./frozen-copy.ts";
import type { Memory } from "./memory.ts";
import { pageOf } from "./read-tasks.ts";
import { compareText } from "./sorted-list.ts";

export function writeCommand(memory: Memory, command: CommandRecord): void {
  const known = memory.commands.get(command.id);
  const deliveredAt = known?.deliveredAt ?? command.deliveredAt;
  const acked = known?.ackedAt != null ? known : command;
  memory.commands.set(
    command.id,
    frozenCopy({ ...command, deliveredAt, ackedAt: acked.ackedAt, answer: acked.answer }),
  );
}

export function readCommands(memory: Memory, { worker, ...page }: Reads["commands"]["query"]): Page<CommandRecord> {
  const all = [...memory.commands.values()].filter((command) => command.worker === worker);
  return pageOf(
    all.sort((a, b) => compareText(b.id, a.id)),
    page,
  );
}

export function findCommands(memory: Memory, { workers, now, limit }: Find["commands"]["query"]): CommandRecord[] {
  const wanted = new Set(workers);
  return [...memory.commands.values()]
    .filter(({ worker, ackedAt }) => wanted.has(worker) && ackedAt === null)
    .filter(({ expiresAt }) => expiresAt === null || now < expiresAt)
    .sort((a, b) => compareText(a.id, b.id))
    .slice(0, limit);
}
