import type { Desks } from "../../../engine/desks/desks.ts";
import type { watchRoutes } from "../../../protocol/rest/watch-routes.ts";
import { type Handlers, json } from "../call.ts";
import { isoTime } from "../time.ts";

export function watchHandlers({ watches }: Desks): Handlers<keyof typeof watchRoutes> {
  return {
    async listWorkerBeats({ who, params }) {
      const { node, everyMs, beats } = await watches.beats(who, params.worker_id);
      const items = beats.map(({ at, gapMs, loopLagMs, cpuPercent, ramBytes }) => ({
        ...{ at: isoTime(at), gap_ms: gapMs, loop_lag_ms: loopLagMs, cpu_percent: cpuPercent, ram_bytes: ramBytes },
      }));
      return json(200, { node_id: node, heard_here: items.length > 0, every_ms: everyMs, items });
    },
    async listWorkerSpecs({ who, params }) {
      const specs = await watches.specs(who, params.worker_id);
      const items = specs.map(({ job, announced, current, matches, done }) => ({
        ...{ job_name: job, announced, current, matches, tasks_done: done },
      }));
      return json(200, { items });
    },
  };
}
