// What a connected worker is told to do: each command once on a connection, until the worker has acknowledged it. One that
// knows nothing of commands is only asked to drain.

import { Problem } from "../../core/problem.ts";
import type { WorkerRecord } from "../../ports/records.ts";
import type { WorkBeat, WorkLine } from "../desks/work-desk.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";

export interface CommandsToParts {
  readonly worker: string;
  readonly line: Pick<WorkLine, "command" | "drain">;
  readonly operations: Pick<Operations, "deliveries" | "catalog">;
  /** Whether it knows of commands. */
  obeys(): boolean;
  /** Whether it says itself that it drains. */
  isDraining(): boolean;
}

export interface CommandsTo {
  /** Its record has changed. */
  changed(record: WorkerRecord): void;
  /** It has beaten, the first time right after its welcome, before which nothing is said. */
  beaten(acks: WorkBeat["acks"]): void;
  stop(): void;
}

export function commandsTo({ log }: Surroundings, parts: CommandsToParts): CommandsTo {
  const { worker, line, operations } = parts;
  const sent = new Set<string>();
  /** These it has not acknowledged yet. */
  const unanswered = new Set<string>();
  /** The latest command that was looked for. */
  let latest: string | null = null;
  let [hasBeaten, toldToDrain, isOver] = [false, false, false];

  async function send(record: Pick<WorkerRecord, "id" | "orders">): Promise<void> {
    for (const command of await operations.deliveries.open(record)) {
      if (isOver || sent.has(command.id)) continue;
      sent.add(command.id);
      unanswered.add(command.id);
      line.command(command);
    }
  }

  function look(record: WorkerRecord | undefined): void {
    const now = record?.orders.latest ?? null;
    if (record === undefined || now === latest || isOver) return;
    latest = now;
    send(record).catch((error: unknown) => {
      // The next beat looks again.
      if (latest === now) latest = null;
      log.warn("a worker could not be told what to do", { worker, error });
    });
  }

  function acknowledge({ id, ...answer }: WorkBeat["acks"][number]): void {
    const noted = operations.deliveries.acknowledge(worker, id, answer).catch((error: unknown) => {
      if (error instanceof Problem && error.code === "command-not-found") return;
      log.warn("it could not be noted that a worker has obeyed", { worker, command: id, error });
    });
    noted.then(() => answered(id));
  }

  /** There may be more of them than are told at once. */
  function answered(command: string): void {
    if (!unanswered.delete(command) || unanswered.size > 0) return;
    latest = null;
    look(operations.catalog.worker(worker));
  }

  function tellToDrain({ draining }: WorkerRecord): void {
    if (draining && !toldToDrain && !parts.isDraining()) line.drain();
    toldToDrain = draining;
  }

  return {
    changed(record) {
      if (!hasBeaten) return;
      if (parts.obeys()) look(record);
      else tellToDrain(record);
    },
    beaten(acks) {
      acks.forEach(acknowledge);
      const known = hasBeaten && !parts.obeys() ? undefined : operations.catalog.worker(worker);
      hasBeaten = true;
      if (parts.obeys()) look(known);
      else if (known !== undefined) tellToDrain(known);
    },
    stop() {
      isOver = true;
    },
  };
}
