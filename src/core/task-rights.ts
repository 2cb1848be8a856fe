// What somebody may do to a task that he sees, whatever state it is in. Desks refuse by these rules, and whoever reads a
// task is told by them what is worth trying.

import { isSuperuser, mayOperate, mayUseJob, mayUseRoom, mayWrite, type Principal } from "./access.ts";

/** Whose it is. */
export interface TaskTies {
  readonly submitter: string | null;
  readonly room: string;
}

export interface HeldTask extends TaskTies {
  /** Full name. */
  readonly job: string;
  /** Whose worker holds it; null: nobody's. */
  readonly holder: { readonly owner: string | null } | null;
}

export interface TaskRights {
  readonly cancel: boolean;
  readonly retry: boolean;
  readonly delete: boolean;
  readonly evict: boolean;
}

export function taskRights(who: Principal, task: HeldTask): TaskRights {
  return {
    cancel: mayCancel(who, task, task.holder?.owner ?? null),
    retry: mayUseRoom(who, task.room) && mayUseJob(who, task.job),
    delete: mayRemove(who, task),
    evict: task.holder !== null && mayOperate(who, task.holder.owner),
  };
}

/** With a token that is for the task's room. */
export function isSubmitter(who: Principal, { submitter, room }: TaskTies): boolean {
  return submitter === who.user && mayUseRoom(who, room);
}

export function mayCancel(who: Principal, task: TaskTies, holdersOwner: string | null): boolean {
  return isSuperuser(who) || (mayWrite(who) && (isSubmitter(who, task) || holdersOwner === who.user));
}

export function mayRemove(who: Principal, { submitter, room }: TaskTies): boolean {
  return mayUseRoom(who, room) && (isSuperuser(who) || submitter === who.user);
}
