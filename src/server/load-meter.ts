// How busy this server is, measured from one look to the next; the pulse looks, and tells the other servers.

import { monitorEventLoopDelay } from "node:perf_hooks";
import type { ServerLoad } from "../engine/node-load.ts";

export type Connections = Pick<ServerLoad, "http" | "sockets" | "work">;

export interface LoadMeter {
  read(): ServerLoad;
  /** Who knows how many connections there are, once something listens. */
  watch(connections: () => Connections): void;
  stop(): void;
}

/** How often the event loop is tried; what it is late beyond that is its lag. */
const tryEveryMs = 20;
const nanosPerMs = 1_000_000;

export function loadMeter(clock: { machine(): number }): LoadMeter {
  const delays = monitorEventLoopDelay({ resolution: tryEveryMs });
  delays.enable();
  let connections = (): Connections => ({ http: 0, sockets: 0, work: 0 });
  let before = { at: clock.machine(), cpu: process.cpuUsage() };

  const lag = (nanos: number): number =>
    delays.count === 0 ? 0 : Math.max(0, oneDecimal(nanos / nanosPerMs - tryEveryMs));

  function cpuPercent(): number {
    const now = { at: clock.machine(), cpu: process.cpuUsage() };
    const spentMs = (now.cpu.user + now.cpu.system - before.cpu.user - before.cpu.system) / 1_000;
    const passedMs = Math.max(1, now.at - before.at);
    before = now;
    return oneDecimal((100 * spentMs) / passedMs);
  }

  return {
    read() {
      const lags = { loopLagMs: lag(delays.mean), loopLagP99Ms: lag(delays.percentile(99)) };
      delays.reset();
      return { ...connections(), ...lags, cpuPercent: cpuPercent(), memoryBytes: process.memoryUsage.rss() };
    },
    watch(count) {
      connections = count;
    },
    stop: () => void delays.disable(),
  };
}

function oneDecimal(value: number): number {
  return Math.round(value * 10) / 10;
}
