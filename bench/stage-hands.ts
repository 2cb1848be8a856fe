// Sets stages when they are first needed and keeps them for whoever comes next on the same store.

import type { Databases } from "./databases.ts";
import type { Facts } from "./measure.ts";
import type { StoreName } from "./options.ts";
import type { Place } from "./place.ts";
import { runChild } from "./run-child.ts";
import { stages } from "./stages.ts";

export interface SetStage {
  readonly place: Place;
  readonly facts: Facts;
}

export interface StageHands {
  set(name: string): Promise<SetStage>;
  /** An empty database of this name; the same one when asked for again. */
  empty(name: string): Promise<SetStage>;
  drop(name: string): Promise<void>;
  /** Drops everything that was set. */
  strike(): Promise<void>;
}

const stageMsMax = 600_000;

export function stageHands(data: Databases, store: StoreName, quick: boolean, say: (text: string) => void): StageHands {
  const known = stages(quick);
  const there = new Map<string, Promise<SetStage>>();

  function once(name: string, make: () => Promise<SetStage>): Promise<SetStage> {
    const made = there.get(name) ?? make();
    there.set(name, made);
    return made;
  }

  async function build(name: string): Promise<SetStage> {
    const stage = known.find((each) => each.name === name);
    if (stage === undefined) throw new Error(`There is no stage ${name}`);
    const { from, file, parameters } = stage;
    const base = from === undefined ? {} : (await set(from)).facts;
    say(`${store}: setting the stage ${name} …`);
    const startedAt = performance.now();
    const place = await data.make(store, name, from ?? null);
    const { facts } = await runChild(
      { file, place, parameters, facts: base, broker: null, profiles: null },
      stageMsMax,
    );
    await data.tidy(place);
    const setUpSeconds = Math.round((performance.now() - startedAt) / 1_000);
    say(`${store}: the stage ${name} took ${setUpSeconds} s`);
    return { place, facts: { ...facts, setUpSeconds } };
  }

  function set(name: string): Promise<SetStage> {
    return once(name, () => build(name));
  }

  async function drop(name: string): Promise<void> {
    there.delete(name);
    await data.drop(store, name);
  }

  return {
    set,
    empty: (name) => once(name, async () => ({ place: await data.make(store, name, null), facts: {} })),
    drop,
    async strike() {
      for (const name of [...there.keys()]) await drop(name);
    },
  };
}
