// Full names of jobs, as they are typed and mistyped.

import { ServerProblem } from "../sdk/problem.ts";
import type { JobLine, PageAnswer } from "./answers.ts";
import type { Asking } from "./asking-command.ts";
import { nearestName } from "./nearest-name.ts";

/** The room that a full name begins with; null for what is none. */
export function roomOf(name: string): string | null {
  const [room, category, rest] = name.split(":");
  return room && category !== undefined && rest !== undefined ? room : null;
}

/** In a path: slashes belong to the name. */
export function pathOf(name: string): string {
  return name.split("/").map(encodeURIComponent).join("/");
}

/** Does it; where there is no such job, the refusal also says which one was probably meant. */
export async function suggesting<T>(asking: Asking, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServerProblem && error.code === "job-not-found")) throw error;
    const { code: type, status, message } = error;
    throw new ServerProblem({ type, status, title: message, detail: `${message}. ${await hint(asking, name)}` });
  }
}

const namesMax = 500;

async function hint({ ask }: Asking, typed: string): Promise<string> {
  const { body } = await ask<PageAnswer<JobLine>>("GET", `/jobs?limit=${namesMax}`);
  const byShort = body.items.find(({ name }) => name.toLowerCase() === typed.toLowerCase())?.full_name;
  const names = body.items.map(({ full_name }) => full_name);
  const meant = byShort ?? nearestName(typed, names);
  if (meant !== undefined) return `Did you mean "${meant}"?`;
  return body.total === 0 ? "No job is registered yet" : "`leadhand jobs` lists those that there are";
}
