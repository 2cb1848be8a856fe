import type { Group, Measurement, Targets } from "../../measurement.ts";
import type { Sized } from "../../sizes.ts";
import { ours, peers, type Row } from "../rows.ts";

export function pickup(sized: Sized): Group {
  const row = (who: Row, p50: Targets = {}, p99: Targets = {}): Measurement => ({
    name: `compare-pickup-${who.name}`,
    title: who.title,
    stage: null,
    stores: who.stores,
    file: "compare/measures/pickup",
    parameters: { ...sized({ tasks: [500, 30] }), system: who.system },
    figures: [
      { key: "p50Ms", title: "handler starts", unit: "ms", targets: p50 },
      { key: "p99Ms", title: "p99", unit: "ms", targets: p99 },
      { key: "mostMs", title: "at most", unit: "ms", beside: true },
    ],
  });
  return {
    name: "compare-pickup",
    title: "Compared: from submit to handler",
    method:
      "Nothing to do, then one task, again and again: from the sending of the submit to the first line of the handler in the worker's process. For Leadhand that is an HTTP request, the commit of the submit, the commit of the assignment and a frame. Three hundred tasks go before, so that the code on the way is compiled, in every system.",
    measurements: [
      row(
        ours,
        { sqlite: { atMost: 1.5 }, postgres: { atMost: 2.5 } },
        { sqlite: { atMost: 4 }, postgres: { atMost: 6 } },
      ),
      ...peers.map((who) => row(who)),
    ],
  };
}
