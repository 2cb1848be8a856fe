import { allStores, beside, cpuEach } from "../../figures.ts";
import type { Group, Targets } from "../../measurement.ts";
import type { Sized } from "../../sizes.ts";

const targets: Targets = { sqlite: { atLeast: 10_000 }, postgres: { atLeast: 10_000 } };

export function count(sized: Sized): Group {
  const marks = [100_000, 2_000] as const;
  const figures = [
    { key: "marksPerSecond", title: "counted", unit: "/s", targets } as const,
    beside("marksPerCommit", "per commit"),
    ...cpuEach(),
  ];
  const measured = (name: string, title: string, each: number) => ({
    ...{ name: `count-${name}`, title, stores: allStores, stage: null, file: "store/measures/count" as const, figures },
    parameters: sized({ marks, callers: 16, each }),
  });
  return {
    name: "count",
    title: "Count",
    method: [
      "Messages that count on one coordinator, by 16 callers of `engine.count`. Each message is told by its index; one in ten is",
      "told twice. A run that does not end the coordinator with exactly as many as there are is no run.",
    ].join(" "),
    measurements: [measured("1", "one message a call", 1), measured("100", "100 messages a call", 100)],
  };
}
