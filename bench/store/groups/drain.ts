import { allStores, beside, cpuEach, tasksPerSecond } from "../../figures.ts";
import type { Group, Measurement, Targets } from "../../measurement.ts";
import type { StoreName } from "../../options.ts";
import type { Size, Sized, Sizes } from "../../sizes.ts";

const drainTargets: Targets = { sqlite: { atLeast: 60_000 }, postgres: { atLeast: 32_000, goal: 40_000 } };
const drainTasks: Size = [100_000, 2_000];

export function drain(sized: Sized): Group {
  const throughEngine = (name: string, title: string, shape: Sizes, targets: Targets = {}): Measurement => ({
    name: `drain-engine-${name}`,
    title: `engine: ${title}`,
    stores: allStores,
    stage: null,
    file: "store/measures/drain-engine",
    parameters: sized({ tasks: drainTasks, ...shape }),
    figures: [
      tasksPerSecond(targets),
      beside("held", "held at most"),
      beside("tasksPerCommit", "tasks per commit"),
      ...cpuEach(),
    ],
  });
  const onStore = (name: string, title: string, stores: readonly StoreName[], shape: Sizes, targets: Targets = {}) => ({
    name: `drain-store-${name}`,
    title: `store: ${title}`,
    stores,
    stage: null,
    file: "store/measures/drain-store" as const,
    parameters: sized({ tasks: drainTasks, credit: 100, ...shape }),
    figures: [tasksPerSecond(targets), beside("held", "held"), ...cpuEach()],
  });
  const { sqlite = {}, postgres = {} } = drainTargets;
  return {
    name: "drain",
    title: "Drain",
    method: [
      "Tasks with 200-byte payloads are submitted beforehand; history is on. A worker has as many tasks in hand as it",
      "runs, none beyond; it completes all of them and claims as many (`assign`) in one turn, so settle and claim travel",
      "in one exchange. *Engine* is `engine.settle` and `engine.claim`; *store* is `store.exchange` with writes made by",
      "`core/task.ts`. One task in twenty is drained first to warm up.",
    ].join(" "),
    measurements: [
      throughEngine("1x100", "1 worker, 100 in hand", { workers: 1, loops: 1, credit: 100 }),
      throughEngine("1x2x50", "1 worker, 100 in hand, in two halves", { workers: 1, loops: 2, credit: 50 }),
      throughEngine("2x100", "2 workers, 100 in hand each", { workers: 2, loops: 1, credit: 100 }),
      throughEngine("4x100", "4 workers, 100 in hand each", { workers: 4, loops: 1, credit: 100 }, drainTargets),
      onStore("1x100", "1 exchange of 100 under way", allStores, { flights: 1, takers: 1 }),
      onStore("1x400", "1 exchange of 4 × 100 under way", allStores, { flights: 1, takers: 4 }, { sqlite }),
      onStore("2x100", "2 exchanges of 100 under way", ["postgres"], { flights: 2, takers: 1 }),
      onStore("2x200", "2 exchanges of 2 × 100 under way", ["postgres"], { flights: 2, takers: 2 }, { postgres }),
    ],
  };
}
