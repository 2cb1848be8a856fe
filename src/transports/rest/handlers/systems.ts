import type { Desks } from "../../../engine/desks/desks.ts";
import type { SystemView } from "../../../engine/desks/system-desk.ts";
import type { systemRoutes } from "../../../protocol/rest/system-routes.ts";
import { type Handlers, json } from "../call.ts";
import { isoTime } from "../time.ts";

const dayMs = 86_400_000;

export function systemHandlers({ system }: Desks): Handlers<keyof typeof systemRoutes> {
  return { getSystem: async ({ who }) => json(200, systemWords(await system.look(who))) };
}

function systemWords(view: SystemView) {
  const { version, node, startedAt, now, retentionMs, idempotencyKeepMs, settings } = view;
  return {
    ...{ version, node_id: node, started_at: isoTime(startedAt), now: isoTime(now) },
    store: storeWords(view),
    broker: brokerWords(view),
    sweeper: sweeperWords(view),
    retention: {
      days: retentionMs === null ? null : retentionMs / dayMs,
      idempotency_days: idempotencyKeepMs / dayMs,
    },
    settings,
  };
}

function storeWords({ store, calls }: SystemView) {
  const { kind, version, bytes, walBytes, tables, migrations } = store;
  return {
    ...{ kind, version, bytes, wal_bytes: walBytes, tables },
    migrations: migrations.map(({ version: number, name }) => ({ number, name })),
    statements: calls.map(({ name, calls: count, meanMs, p95Ms, maxMs }) => ({
      ...{ name, calls: count, mean_ms: rounded(meanMs), p95_ms: rounded(p95Ms), max_ms: rounded(maxMs) },
    })),
  };
}

function brokerWords({ broker }: SystemView) {
  if (broker === null) return null;
  const { url, connected, awaySince, queues } = broker;
  return { url, connected, since: isoTime(awaySince), queues };
}

function sweeperWords({ sweeps }: SystemView) {
  const { leader, lastAt, lastMs, runs, moved } = sweeps;
  return { leader, last_at: isoTime(lastAt), last_ms: lastMs, runs, moved };
}

/** To microseconds. */
function rounded(ms: number): number {
  return Math.round(1_000 * ms) / 1_000;
}
