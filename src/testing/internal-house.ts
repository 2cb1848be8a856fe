// An engine with executors whose handlers the test plays, and somebody who submits as a door does it.

import type { Principal } from "../core/access.ts";
import { desks } from "../engine/desks/desks.ts";
import { type Executors, executors } from "../engine/executors/executors.ts";
import type { Schemas } from "../ports/schemas.ts";
import { type FakeBroker, fakeBroker } from "./fake-broker.ts";
import { type World, type WorldOptions, world } from "./world.ts";

/** The job of a fake broker. */
export const job = "@internal:modifiers:Inside";
const who: Principal = { user: "ada", token: "t", role: "user", rooms: null, jobs: null };
export const noSchemas: Schemas = { check() {}, validator: () => () => [] };

export interface House extends World {
  readonly broker: FakeBroker;
  readonly inside: Executors;
  readonly asked: ReturnType<typeof desks>;
  /** By the desk, as a door does it. */
  ask(payload?: string): Promise<{ id: string; state: string; worker: string | null }>;
}

export async function house({
  broker = fakeBroker(),
  ...options
}: WorldOptions & { broker?: FakeBroker } = {}): Promise<House> {
  const w = await world(options);
  const inside = executors(w.around, { operations: w.engine, broker, schemas: noSchemas });
  await inside.start();
  const asked = desks(w.around, { operations: w.engine, schemas: noSchemas, executors: inside });
  async function ask(payload = "{}") {
    const [view] = await asked.submits.submit(who, "lab", [{ job, payload, read: {} }], { pointer: () => "" });
    if (view === undefined) throw new Error("A submit was answered without its task");
    const { card, row } = view.record;
    return { id: card.id, state: row.state, worker: row.worker };
  }
  return { ...w, broker, inside, asked, ask };
}
