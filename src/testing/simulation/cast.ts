// Everyone outside the servers: submitters, workers, people who cancel. They know what they were told, and nothing else.

import { type ProfileName, profileNames } from "../../core/liveness.ts";
import { Problem } from "../../core/problem.ts";
import type { Move } from "../../core/task.ts";
import type { TaskRequest } from "../../engine/task-request.ts";
import type { ClaimedTask } from "../../ports/records.ts";
import { markedPayload } from "../ledger.ts";
import type { Servers } from "./servers.ts";
import type { Step } from "./steps.ts";

interface Held {
  readonly task: ClaimedTask;
  readonly worker: string;
}

/** What is known outside. */
export interface Cast {
  readonly around: Servers;
  readonly tasks: string[];
  readonly workers: string[];
  readonly beating: Set<string>;
  readonly held: Held[];
  readonly faults: unknown[];
  /** A number that no call had before. */
  mark(): number;
}

export const jobs = ["@global:modifiers:Plain", "@global:modifiers:Retried", "@global:modifiers:Strict"] as const;
export const policies = [
  {},
  { retry: { maxAttempts: 3, baseMs: 100 } },
  { maxRequeues: 1, stuckTaskMs: 6_000 },
] as const;

export type Act = Exclude<Step, { do: "turn" | "wait" | "crash" }>;

export async function act(step: Act, cast: Cast): Promise<void> {
  const { calls, world } = cast.around.at(step.server);
  const { engine } = world;
  switch (step.do) {
    case "submit":
      return submit(step, cast);
    case "claim":
      return claim(step, cast);
    case "hire":
      return void (await hire(cast, step.server, choose(profileNames, step.profile)));
    case "settle": {
      const held = found(cast.held, step.held);
      if (held === undefined) return;
      const { task, worker } = held;
      const move = moveOf(step.move, cast);
      return void (await calls.settle(task.card.id, { worker, attempt: task.row.attempt }, move));
    }
    case "family":
      return family(step, cast);
    case "cancel": {
      const id = found(cast.tasks, step.task);
      return id === undefined ? undefined : void (await calls.cancel(id));
    }
    case "silence":
      return void cast.beating.delete(found(cast.workers, step.worker) ?? "");
    case "dismiss": {
      const worker = engine.catalog.worker(found(cast.workers, step.worker) ?? "");
      return worker === undefined ? undefined : void (await calls.ask(() => engine.losing.remove(worker)));
    }
    case "return":
      return comeBack(step, cast);
    case "sweep":
      return void (await calls.ask(() => engine.sweeper.tick()));
  }
}

export async function hire(cast: Cast, server: number, profile: ProfileName): Promise<string | null> {
  const { calls, world } = cast.around.at(server);
  const links = new Map(jobs.map((job) => [job, null]));
  const worker = await calls.ask(() => world.engine.workers.register({ profile, owner: null, jobs: links }));
  if (worker instanceof Problem) return null;
  cast.workers.push(worker.id);
  cast.beating.add(worker.id);
  return worker.id;
}

async function comeBack(step: Extract<Step, { do: "return" }>, cast: Cast): Promise<void> {
  const id = found(cast.workers, step.worker);
  if (id === undefined) return;
  const { calls, world } = cast.around.at(step.server);
  const { engine } = world;
  const profile = engine.catalog.worker(id)?.profile ?? "work";
  const theirs = cast.held.filter(({ worker }) => worker === id);
  const holds = theirs.map(({ task }) => ({ task: task.card.id, attempt: task.row.attempt }));
  const registration = { id, profile, owner: null, jobs: new Map(jobs.map((job) => [job, null])) };
  const worker = await calls.ask(() => engine.workers.register({ ...registration, ...(step.lists ? { holds } : {}) }));
  if (!(worker instanceof Problem)) cast.beating.add(id);
}

async function family(step: Extract<Step, { do: "family" }>, cast: Cast): Promise<void> {
  const held = found(cast.held, step.held);
  if (held === undefined) return;
  const { calls } = cast.around.at(step.server);
  const { card, row } = held.task;
  const call = `call ${cast.mark()}`;
  const children = await calls.submit(requests(call, step.children, { job: jobs[0], parent: card.id }));
  if (children instanceof Problem) return;
  cast.tasks.push(...children.map((child) => child.card.id));
  const holder = { worker: held.worker, attempt: row.attempt };
  await calls.settle(card.id, holder, { type: "defer", total: step.children });
}

async function submit(step: Extract<Step, { do: "submit" }>, cast: Cast): Promise<void> {
  const { clock, at } = cast.around;
  const runAt = step.delayMs === null ? null : clock.now() + step.delayMs;
  const { calls } = at(step.server);
  // The same key means the same body.
  const parent = step.parent === null ? null : (found(cast.tasks, step.parent) ?? null);
  const answer =
    step.key === null
      ? await calls.submit(requests(`call ${cast.mark()}`, step.tasks, { job: choose(jobs, step.job), runAt, parent }))
      : await calls.submit(requests(`key ${step.key}`, 2, { job: jobs[0], runAt }), `key ${step.key}`);
  if (!(answer instanceof Problem)) cast.tasks.push(...answer.map(({ card }) => card.id));
}

function requests(call: string, of: number, request: Partial<TaskRequest> & { readonly job: string }): TaskRequest[] {
  const payload = (index: number): string => markedPayload({ mark: `${call}/${index}`, call, of });
  return Array.from({ length: of }, (_, index) => ({ room: "@global", payload: payload(index), ...request }));
}

async function claim(step: Extract<Step, { do: "claim" }>, cast: Cast): Promise<void> {
  const worker = found(cast.workers, step.worker);
  if (worker === undefined) return;
  const { limit, assign, waitMs } = step;
  const tasks = await cast.around.at(step.server).calls.claim({ worker, limit, assign, waitMs });
  if (!(tasks instanceof Problem)) cast.held.push(...tasks.map((task) => ({ task, worker })));
}

export function completion(cast: Cast): Move {
  return { type: "complete", result: `{"by":${cast.mark()}}` };
}

function moveOf(n: number, cast: Cast): Move {
  const error = { message: "No luck", code: null, details: null };
  const complete = completion(cast);
  const all: Move[] = [
    ...[complete, complete, complete, complete],
    { type: "start" },
    { type: "start" },
    { type: "fail", error, retryable: n > 20 },
    { type: "release", reason: "later", delayMs: n > 20 ? n * 20 : 0 },
    { type: "progress", progress: { current: n, total: null, message: null } },
  ];
  return choose(all, n);
}

function found<T>(list: readonly T[], n: number): T | undefined {
  return list[n % list.length];
}

function choose<T>(list: readonly T[], n: number): T {
  return found(list, n) as T;
}
