// Who may bring a job into a room.

import { isSuperuser, type Principal, requireJob, requireRoom, requireWrite } from "../../core/access.ts";
import { isOperation } from "../../core/document-names.ts";
import { checkRoom, globalRoom, internalRoom, parseJobName } from "../../core/name.ts";
import { Problem } from "../../core/problem.ts";

/** By the full name of the job. Operations are whoever's who works them, also in @global. */
export function requireRegistering(who: Principal, job: string): void {
  const { room } = parseJobName(job);
  checkRoom(room);
  requireWrite(who);
  const isEveryones = room === globalRoom && isOperation(job);
  if ((room === globalRoom || room === internalRoom) && !isEveryones && !isSuperuser(who)) {
    throw new Problem("forbidden", `Only a superuser registers jobs in ${room}`);
  }
  requireRoom(who, room);
  requireJob(who, job);
}
