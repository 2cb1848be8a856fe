// The feed is what happens in all rooms together, for whoever looks at the whole. A token with limits sees its part.

import { maySeeRoom, mayUseJob, type Principal } from "./access.ts";

/** What a token may see of it. */
export type Sight = Pick<Principal, "rooms" | "jobs">;

/** Where something happened. */
export interface Place {
  /** One of them in sight is enough. A worker without jobs is in none. */
  readonly rooms: readonly string[];
  /** Full name, where it happened to a task. */
  readonly job: string | null;
  /** There were more rooms than go into one message: whoever sees them all has been told with the first. */
  readonly again?: true;
}

export function isInSight(sight: Sight, { rooms, job, again }: Place): boolean {
  if (sight.rooms === null ? again : !rooms.some((room) => maySeeRoom(sight, room))) return false;
  return job === null || sight.jobs === null || mayUseJob(sight, job);
}
