// Tasks that are submitted, claimed, started and completed at a steady pace: four events each, one request for each.

import { setTimeout as pause } from "node:timers/promises";
import { deepJob } from "../bench-catalog.ts";
import { expect, submitBody } from "../rest/bench-server.ts";
import type { Connection } from "../rest/connection.ts";
import type { ServerCalls } from "../rest/server-calls.ts";
import { monotonicMs } from "./monotonic.ts";
import type { HappenedEvent } from "./view-words.ts";

export const eventsPerTask = 4;

/** Lives that overlap, so that an answer may take longer than the next request has time. */
const lanes = 8;
/** What a step has at least, as far as the pace allows. */
const stepMsLeast = 15;

export interface Pace {
  readonly room: string;
  readonly tasks: number;
  readonly eventsPerSecond: number;
  onEvent?(): void;
}

/** Half of the time after which a worker that is silent is given up. */
const beatMs = 30_000;

/** Each lane has a connection and a worker of its own; all of them beat from one more connection. */
export async function taskLives(server: ServerCalls): Promise<(pace: Pace) => Promise<HappenedEvent[]>> {
  const connections = await server.connections(lanes);
  const workers = await Promise.all(connections.map((connection) => server.addWorker(connection)));
  const beats = await server.connect();
  setInterval(async () => {
    for (const worker of workers) expect(await beats.ask(server.request("PATCH", `/v1/workers/${worker}`, {})), 200);
  }, beatMs).unref();
  return async (pace) => {
    const events: HappenedEvent[] = [];
    const startAt = monotonicMs();
    const live = connections.map((connection, nth) =>
      lane(server, { connection, worker: workers[nth] as string, nth, startAt }, pace, events),
    );
    await Promise.all(live);
    return events.sort((a, b) => a.sentAt - b.sentAt);
  };
}

interface Lane {
  readonly connection: Connection;
  readonly worker: string;
  readonly nth: number;
  readonly startAt: number;
}

async function lane(
  server: ServerCalls,
  { connection, worker, nth, startAt }: Lane,
  { room, tasks, eventsPerSecond, onEvent }: Pace,
  events: HappenedEvent[],
): Promise<void> {
  const taskMs = (1_000 * eventsPerTask) / eventsPerSecond;
  // Evenly, also where the next life begins long after the last has ended.
  const stepMs = Math.max(taskMs / eventsPerTask, Math.min(stepMsLeast, (taskMs * lanes) / eventsPerTask));

  /** A claim may be given the task of another lane; this one sees it through then. */
  async function step(at: number, status: string, request: string, statusCode: number): Promise<Card> {
    await pause(Math.max(0, at - monotonicMs()));
    const sentAt = monotonicMs();
    const answer = JSON.parse(expect(await connection.ask(request), statusCode)) as Card & { readonly task?: Card };
    const task = answer.task ?? answer;
    events.push({ task: task.id, status, sentAt });
    onEvent?.();
    return task;
  }

  for (let task = nth; task < tasks; task += lanes) {
    const at = startAt + task * taskMs;
    await step(at, "pending", server.request("POST", `/v1/rooms/${room}/tasks/${deepJob}`, submitBody), 202);
    const claim = server.request("POST", "/v1/tasks/claim", { worker_id: worker });
    const { id, lease_token } = await step(at + stepMs, "claimed", claim, 200);
    const say = (words: object): string => server.request("PATCH", `/v1/tasks/${id}`, { ...words, lease_token });
    await step(at + 2 * stepMs, "running", say({ status: "running" }), 200);
    await step(at + 3 * stepMs, "completed", say({ status: "completed", result: { ok: true } }), 200);
  }
}

interface Card {
  readonly id: string;
  readonly lease_token: string;
}
