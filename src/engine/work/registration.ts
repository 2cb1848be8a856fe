import { specJob } from "../../core/name.ts";
import type { WorkRegistration } from "../desks/work-desk.ts";

/** What a registration says about the worker itself. */
export function recordOf({ name, hostname, os, queues, labels, ...words }: WorkRegistration) {
  const { concurrency, prefetch } = words;
  const about = { ...(words.about === null ? {} : JSON.parse(words.about)), concurrency, prefetch };
  return { name, hostname, os, queues, labels, about: JSON.stringify(about) };
}

/** The worker's own name for each job. */
export function idsOf({ specs }: WorkRegistration): ReadonlyMap<string, string> {
  return new Map(specs.map(({ id }) => [specJob(id), id]));
}
