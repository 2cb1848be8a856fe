// The thread that beats. It shares no event loop with handlers, so that one that blocks for minutes costs neither the
// worker nor its tasks; it also holds the socket by which cancels arrive, because whoever does not answer the pings of
// Socket.IO is taken for dead.

import { parentPort, workerData } from "node:worker_threads";
import { ServerProblem } from "../problem.ts";
import { restApi } from "../rest-api.ts";
import { elapsedMs, now } from "../system.ts";
import { wire } from "../wire.ts";
import { beatMsMax } from "./beat-limit.ts";
import { leases } from "./leases.ts";
import { processUse } from "./process-use.ts";
import { wakingTime } from "./waking-time.ts";
import type { FromThread, Headers, ThreadData, ToThread } from "./words.ts";

const { url, ping, tick, tickMs, socket, onlyWhenBlocked, ...rhythm } = workerData as ThreadData;
let { everyMs } = rhythm;
const lastTick = new BigInt64Array(tick);
const say = (word: FromThread): void => parentPort?.postMessage(word);

const connection = wire({ silenceMs: beatMsMax(everyMs) });
let headers: Headers = {};
let worker: string | null = null;
const prefix = ping === "fleet" ? "" : "/v1";
const api = restApi({ url, prefix, fetch: connection.fetch, getHeaders: () => headers });
const token = (): string => headers["authorization"]?.replace(/^Bearer /, "") ?? "";
// Only loaded where it is used: it is the larger part of what this thread would have to read before its first beat.
const cancels = socket
  ? (await import("./cancel-socket.ts")).cancelSocket({
      ...{ url, token, onCut: beatNow },
      onCancel: (worker, task) => say({ type: "cancel", worker, task }),
    })
  : null;

const prolonged = leases({
  now: wakingTime(elapsedMs, now),
  async extend({ task, attempt }) {
    try {
      await api.request("POST", `/tasks/${task}/extend`, { body: { attempt } });
      return true;
    } catch (error) {
      if (error instanceof ServerProblem && [404, 409].includes(error.status)) return false;
      throw error;
    }
  },
  onLost: ({ task, attempt }) => say({ type: "lost", task, attempt }),
});

/** How long the program has not let go of the processor; below two ticks nothing is wrong. */
function blockedMs(): number {
  const age = Math.trunc(elapsedMs()) - Number(Atomics.load(lastTick, 0));
  return age > 2 * tickMs ? age - tickMs : 0;
}

const use = processUse();

/** A missed beat is made up for long before the window ends. */
const againMs = (): number => Math.min(1_000, everyMs / 4);
let alarm: NodeJS.Timeout | undefined;
/** The beat that is under way. */
let beating: Promise<boolean> | null = null;
let isWanted = false;

/** One beat follows the other; there are never two under way for one worker. */
function beatIn(ms: number): void {
  clearTimeout(alarm);
  alarm = setTimeout(async () => {
    const id = worker;
    if (id === null) return;
    const isNeeded = !onlyWhenBlocked || blockedMs() >= everyMs / 2;
    isWanted = false;
    beating = isNeeded ? beat(id) : null;
    const beaten = (await beating) ?? false;
    beating = null;
    if (worker === id) beatIn(!beaten ? againMs() : isWanted ? 0 : everyMs);
  }, ms);
}

/** Something happened after which the server wants to hear of the worker; a beat that is under way may have come before. */
function beatNow(): void {
  isWanted = true;
  if (beating === null) beatIn(0);
}

type Beaten = Partial<Pick<Extract<FromThread, { type: "beaten" }>, "cancel" | "commands">>;

/** Whether the server heard it. */
async function beat(id: string): Promise<boolean> {
  const blocked = blockedMs();
  const status = { ...use(), loopLagMs: blocked };
  const signal = AbortSignal.timeout(beatMsMax(everyMs));
  try {
    const { body: answer } = await (ping === "fleet"
      ? api.request<Beaten>("POST", `/workers/${id}/ping`, { body: { status, blockedMs: blocked }, signal })
      : api.request<Beaten>("PATCH", `/workers/${id}`, { body: { status, blocked_ms: blocked }, signal }));
    say({ type: "beaten", worker: id, cancel: answer.cancel ?? [], commands: answer.commands ?? [] });
    return true;
  } catch (error) {
    if (error instanceof ServerProblem && error.status === 404) say({ type: "gone", worker: id });
    else if (error instanceof ServerProblem && error.status === 401) say({ type: "unauthorized" });
    else say({ type: "missed", why: error instanceof Error ? error.message : String(error) });
    return false;
  }
}

/** A beat that was cut off may be heard all the same, after the goodbye: it is waited for. */
async function stop(): Promise<void> {
  worker = null;
  clearTimeout(alarm);
  cancels?.close();
  prolonged.stop();
  await beating;
  connection.close();
  parentPort?.close();
}

parentPort?.on("message", (word: ToThread) => {
  switch (word.type) {
    case "worker":
      ({ headers, worker, everyMs } = word);
      beatIn(everyMs);
      cancels?.serve(word.worker, word.jobs);
      break;
    case "hold":
      prolonged.hold(word.leases);
      break;
    case "drop":
      prolonged.drop(word.tasks);
      break;
    case "headers":
      headers = word.headers;
      break;
    case "stop":
      void stop();
      break;
  }
});
