import { refusalsMax } from "../../core/task-event.ts";
import type { Refusal } from "../../ports/records.ts";
import type { Lines } from "../../ports/store.ts";
import { frozenCopy } from "./frozen-copy.ts";
import type { Memory } from "./memory.ts";

export function append(memory: Memory, lines: Lines): void {
  for (const line of lines.logs ?? []) memory.tasks.get(line.task)?.logs.push(frozenCopy(line));
  for (const refusal of lines.refusals ?? []) refuse(memory, refusal);
  memory.workerEvents.push(...(lines.workerEvents ?? []).map(frozenCopy));
}

function refuse(memory: Memory, refusal: Refusal): void {
  const refusals = memory.tasks.get(refusal.task)?.refusals;
  if (refusals === undefined) return;
  const last = refusals.at(-1);
  if (refusals.length < refusalsMax) refusals.push(frozenCopy({ ...refusal, times: 1 }));
  else if (last !== undefined) refusals[refusals.length - 1] = Object.freeze({ ...last, times: last.times + 1 });
}
