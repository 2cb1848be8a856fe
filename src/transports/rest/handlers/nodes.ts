import type { Desks } from "../../../engine/desks/desks.ts";
import type { NodeView, Thresholds } from "../../../engine/desks/node-desk.ts";
import type { nodeRoutes } from "../../../protocol/rest/node-routes.ts";
import { type Handlers, json } from "../call.ts";
import { isoTime } from "../time.ts";

export function nodeHandlers({ nodes }: Desks): Handlers<keyof typeof nodeRoutes> {
  return {
    sweep: async ({ who }) =>
      json(200, { swept: await nodes.sweep(who), thresholds: thresholdsJson(nodes.thresholds()) }),
    listNodes: async () => json(200, { items: (await nodes.list()).map(nodeJson) }),
  };
}

function thresholdsJson({ timeoutMs, stallMs, maxRequeues }: Thresholds) {
  const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1_000);
  return {
    ...{ timeout_seconds: seconds(timeoutMs), stall_seconds: seconds(stallMs) },
    max_lease_requeues: maxRequeues,
  };
}

function nodeJson({ id, address, version, startedAt, seenAt, online, leader, skewMs, load }: NodeView) {
  const { http, sockets, work, workers, tasks, loopLagMs, loopLagP99Ms, cpuPercent, memoryBytes } = load;
  return {
    ...{ id, address, version, started_at: isoTime(startedAt), seen_at: isoTime(seenAt), online, leader },
    clock_skew_ms: skewMs,
    load: {
      connections: { http, sockets, work },
      ...{ workers, tasks, loop_lag_ms: loopLagMs, loop_lag_p99_ms: loopLagP99Ms },
      ...{ cpu_percent: cpuPercent, memory_bytes: memoryBytes },
    },
  };
}
