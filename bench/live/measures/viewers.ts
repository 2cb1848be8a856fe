// Viewers of one room, all of whom are told what happens to every task in it.

import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { type BenchServer, benchServer } from "../../rest/bench-server.ts";
import { startActor } from "../actor.ts";
import { eventsPerTask, taskLives } from "../task-lives.ts";
import type { CrowdWords, HappenedEvent, Verdict } from "../view-words.ts";
import type { Ready } from "../work-words.ts";

const room = "theatre";
/** Before the viewers come, so that what they meet has run before. */
const warmUpTasks = 50;
const sampleMs = 200;

export async function measure(input: MeasureInput): Promise<Measured> {
  const [viewers, eventsPerSecond] = [parameter(input, "viewers"), parameter(input, "eventsPerSecond")];
  const tasks = Math.ceil((eventsPerSecond * parameter(input, "seconds")) / eventsPerTask);
  const server = await benchServer(input);
  const live = await taskLives(server);
  await live({ room, tasks: warmUpTasks, eventsPerSecond: 500 });
  const words: CrowdWords = { port: server.port, token: server.token, room, viewers };
  const crowd = startActor("live/actors/viewers", words, input.profiles);
  await crowd.next<Ready>("ready");

  const memory = largestMemory(server);
  let events: HappenedEvent[] = [];
  let verdict: Verdict | undefined;
  const timing = await server.timed("viewers", async () => {
    events = await live({ room, tasks, eventsPerSecond });
    crowd.tell({ events });
    verdict = await crowd.next<Verdict>("verdict");
  });
  const residentMb = memory();
  await crowd.stop();
  await server.stop();

  if (verdict === undefined) throw new Error("The viewers said nothing");
  const { wrong, missed, delivered, p50Ms, p99Ms, mostMs, cpuMs } = verdict;
  if (wrong > 0) throw new Error(`Viewers do not know how a task ended, ${wrong} times over all viewers and tasks`);
  const ms = (events.at(-1)?.sentAt ?? 0) - (events[0]?.sentAt ?? 0);
  return {
    figures: {
      missed,
      residentMb,
      events: (1_000 * events.length) / ms,
      deliveries: (1_000 * delivered) / ms,
      serverUsEach: (1_000 * timing.doorCpuMs) / delivered,
      viewersUsEach: (1_000 * cpuMs) / delivered,
      deliveryP50Ms: p50Ms,
      deliveryP99Ms: p99Ms,
      deliveryMostMs: mostMs,
    },
  };
}

/** Until it is asked for. */
function largestMemory(server: BenchServer): () => number {
  let most = server.residentMb();
  const look = (): void => {
    most = Math.max(most, server.residentMb());
  };
  const timer = setInterval(look, sampleMs);
  return () => {
    clearInterval(timer);
    look();
    return most;
  };
}
