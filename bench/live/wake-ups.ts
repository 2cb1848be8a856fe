// Nothing to do, then one task: how long after its submit was sent does its handler start? The server, the worker and
// the caller are three processes, all of them idle before.

import { setTimeout as pause } from "node:timers/promises";
import { type Measured, type MeasureInput, parameter } from "../measure.ts";
import { benchServer, expect, submitBody, submitPath } from "../rest/bench-server.ts";
import { percentile } from "../statistics.ts";
import { type ActorName, startActor } from "./actor.ts";
import { monotonicMs } from "./monotonic.ts";
import type { Ready, Started, WorkWords } from "./work-words.ts";

/** Long enough for the worker to tell how the task before ended, and to wait again. */
const idleMs = 40;
/** The first ones find code that has not run yet, and a socket that is not connected yet. */
const warmUps = 40;

export async function wakeUps(input: MeasureInput, name: ActorName): Promise<Measured> {
  const server = await benchServer(input);
  const url = `http://127.0.0.1:${server.port}`;
  const words: WorkWords = { url, token: server.token, concurrency: 1, marks: [] };
  const worker = startActor(name, words, input.profiles);
  await worker.next<Ready>("ready");
  const caller = await server.connect();
  const submit = server.request("POST", submitPath, submitBody);

  async function once(): Promise<number> {
    await pause(idleMs);
    const sentAt = monotonicMs();
    const [answer, { at }] = await Promise.all([caller.ask(submit), worker.next<Started>("started")]);
    expect(answer, 202);
    return at - sentAt;
  }
  for (let left = warmUps; left > 0; left -= 1) await once();
  const times: number[] = [];
  await server.timed("wake-ups", async () => {
    while (times.length < parameter(input, "tasks")) times.push(await once());
  });

  await worker.stop();
  caller.close();
  await server.stop();
  return {
    figures: {
      startP50Ms: percentile(times, 0.5),
      startP99Ms: percentile(times, 0.99),
      startMostMs: Math.max(...times),
    },
  };
}
