// What is measured of stores and engine, in the order in which it is measured.

import type { Group } from "../measurement.ts";
import { sizes } from "../sizes.ts";
import { count } from "./groups/count.ts";
import { drain } from "./groups/drain.ts";
import { fleet, idleWorkers } from "./groups/fleet.ts";
import { claims, explain, position } from "./groups/latency.ts";
import { depth, history, rates } from "./groups/rates.ts";
import { beats, idle, memory, start } from "./groups/server.ts";
import { submit } from "./groups/submit.ts";

export function storeGroups(quick: boolean): Group[] {
  const sized = sizes(quick);
  return [
    drain(sized),
    submit(sized),
    claims(sized),
    position(sized),
    explain(sized),
    count(sized),
    rates(sized, depth),
    rates(sized, history),
    beats(sized),
    idle(sized),
    fleet(sized),
    idleWorkers(sized),
    memory(sized),
    start(),
  ];
}
