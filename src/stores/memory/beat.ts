import type { Beat } from "../../ports/store.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { isAlive, type Memory } from "./memory.ts";

export function beat(memory: Memory, beats: readonly Beat[]): string[] {
  for (const each of beats) if (isAlive(memory, each.worker)) hear(memory, each);
  return beats.map(({ worker }) => worker).filter((worker) => !isAlive(memory, worker));
}

/** The revision stays: a beat is no change of the catalog. */
function hear(memory: Memory, { worker, at, status }: Beat): void {
  const known = memory.workers.get(worker);
  if (known === undefined) return;
  const session = { ...known.record.session, seenAt: Math.max(known.record.session.seenAt, at) };
  memory.workers.set(worker, {
    ...known,
    record: frozenCopy({ ...known.record, session, status: status ?? known.record.status }),
  });
}
