// Whether WebSockets come through whatever stands between here and the server. Workers live without them, by polling.

import type { Asking } from "../asking-command.ts";
import { type Finding, ok, warn } from "./finding.ts";
import { reached } from "./server-checks.ts";

const withinMs = 5_000;

export async function socketCheck(asking: Asking): Promise<readonly Finding[]> {
  const polled = await reached(asking, "/socket.io/?EIO=4&transport=polling").catch(() => null);
  if (polled === null || polled.status === 404) {
    const advice = "use a server that has it, or let the proxy pass /socket.io/ on; workers poll meanwhile";
    return [warn("socket", "there is no Socket.IO at /socket.io/", advice)];
  }
  const fault = await upgradeFault(asking);
  if (fault === null) return [ok("socket", "WebSockets come through")];
  const advice = "let the proxy pass on the headers Upgrade and Connection; workers poll meanwhile";
  return [warn("socket", `WebSockets do not come through: ${fault}`, advice)];
}

/** Null when the server's first word came through a WebSocket. */
function upgradeFault({ server, signal }: Asking): Promise<string | null> {
  const socket = new WebSocket(`${server.url.replace(/^http/, "ws")}/socket.io/?EIO=4&transport=websocket`);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
  const { promise, resolve } = Promise.withResolvers<string | null>();
  socket.addEventListener("message", () => resolve(null));
  socket.addEventListener("error", () => resolve("the upgrade was refused"));
  socket.addEventListener("close", () => resolve("the connection was closed"));
  limit.addEventListener("abort", () => resolve(`nothing came within ${withinMs / 1_000} s`));
  return promise.finally(() => socket.close());
}
