// The server is killed between a commit and the message that tells of it: of a task that was submitted, and of the
// operations that a coordinator sends.

import { setTimeout as pause } from "node:timers/promises";
import type { Expected } from "./load.ts";
import type { Stage } from "./stage.ts";
import type { Tally } from "./tally.ts";
import { queues } from "./words.ts";

const springMs = 20_000;

/** Answers what was submitted, some of which nobody has been told of. Before it all is quiet: what is told first is new. */
export async function killServers(stage: Stage, tally: Tally): Promise<readonly Expected[]> {
  const untold: Expected[] = [];
  // In this order, for tasks that are told late let no coordinator begin.
  for (const what of ["operations", "tasks"] as const) {
    const name = `server killed between commit and publish of ${what}` as const;
    if (tally.lacks(name) === 0) continue;
    const { burst, isHit } = await killServer(stage, what);
    untold.push(...burst);
    if (isHit) tally.hit(name);
    else tally.missed(name);
  }
  return untold;
}

async function killServer(
  { serverFrames, server, load }: Stage,
  what: "operations" | "tasks",
): Promise<{ readonly burst: readonly Expected[]; readonly isHit: boolean }> {
  const toldOf = what === "tasks" ? queues.jobs : queues.batch;
  const trap = serverFrames.trap(({ queue }) => queue === toldOf);
  const burst = load.burst({ tasks: 8, coordinators: 1 });
  await Promise.race([trap.sprung, pause(springMs, undefined, { ref: false })]);
  trap.remove();
  await server.kill();
  await server.start();
  return { burst: await burst, isHit: trap.caught !== null };
}
