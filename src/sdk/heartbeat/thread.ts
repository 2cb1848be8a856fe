// The thread that beats. It shares no event loop with handlers, so that one that blocks for minutes costs neither the
// worker nor its tasks; it also holds the socket by which cancels arrive, because whoever does not answer the pings of
// Socket.IO is taken for dead.

import { parentPort, workerData } from "node:worker_threads";
import { ServerProblem } from "../problem.ts";
import { restApi } from "../rest-api.ts";
import { now } from "../system.ts";
import { wire } from "../wire.ts";
import { cancelSocket } from "./cancel-socket.ts";
import type { FromThread, ThreadData, ToThread } from "./words.ts";

const { url, everyMs, tick, tickMs, socket } = workerData as ThreadData;
const lastTick = new BigInt64Array(tick);
const say = (word: FromThread): void => parentPort?.postMessage(word);

// A beat that is not answered by the time of the next but one is no beat.
const connection = wire({ silenceMs: Math.max(1_000, 2 * everyMs) });
let token = "";
let worker: string | null = null;
const api = restApi({ url, fetch: connection.fetch, getHeaders: () => ({ authorization: `Bearer ${token}` }) });
const cancels = socket
  ? cancelSocket({
      ...{ url, token: () => token },
      onCancel: (worker, task) => say({ type: "cancel", worker, task }),
      // Where the socket alone is cut, a beat keeps the worker and what it holds.
      onLost: () => beatIn(0),
    })
  : null;

/** How long the program has not let go of the processor; below two ticks nothing is wrong. */
function blockedMs(): number {
  const age = now() - Number(Atomics.load(lastTick, 0));
  return age > 2 * tickMs ? age - tickMs : 0;
}

/** A missed beat is made up for long before the window ends. */
const againMs = Math.min(1_000, everyMs / 4);
let alarm: NodeJS.Timeout | undefined;

/** One beat follows the other; only a connection that was lost brings one in between. */
function beatIn(ms: number): void {
  clearTimeout(alarm);
  alarm = setTimeout(async () => {
    const id = worker;
    if (id === null) return;
    const beaten = await beat(id);
    if (worker === id) beatIn(beaten ? everyMs : againMs);
  }, ms);
}

/** Whether the server heard it. */
async function beat(id: string): Promise<boolean> {
  const blocked = blockedMs();
  const body = { status: { loopLagMs: blocked, ramBytes: process.memoryUsage.rss() }, blocked_ms: blocked };
  try {
    const { body: answer } = await api.request<{ cancel: readonly string[] }>("PATCH", `/workers/${id}`, { body });
    say({ type: "beaten", worker: id, cancel: answer.cancel });
    return true;
  } catch (error) {
    if (error instanceof ServerProblem && error.status === 404) say({ type: "gone", worker: id });
    else if (error instanceof ServerProblem && error.status === 401) say({ type: "unauthorized" });
    else say({ type: "missed", why: error instanceof Error ? error.message : String(error) });
    return false;
  }
}

parentPort?.on("message", (word: ToThread) => {
  switch (word.type) {
    case "worker":
      ({ token, worker } = word);
      beatIn(everyMs);
      cancels?.serve(word.worker, word.jobs);
      break;
    case "token":
      token = word.token;
      break;
    case "stop":
      worker = null;
      clearTimeout(alarm);
      cancels?.close();
      connection.close();
      parentPort?.close();
      break;
  }
});
