// Metrics for Prometheus and spans for OpenTelemetry; names and meanings are in docs/guides/observe.md. A registry per
// server, so that two servers in one process do not count together.

import { SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { alertSeverities } from "../core/alert.ts";
import { eventTypes } from "../core/task-event.ts";
import { workerEventTypes } from "../core/worker-event.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { type BatchKind, pushOutcomes, type Telemetry } from "../ports/telemetry.ts";
import type { CourierMetrics } from "../transports/amqp/rabbit-courier.ts";
import type { WorkMetrics } from "../transports/work/door.ts";
import { amqpMetrics, type BrokerAbout } from "./amqp-metrics.ts";
import { type Depths, depthGauges } from "./depth-gauges.ts";
import { tally } from "./tally.ts";
import { workMetrics } from "./work-metrics.ts";

export interface ServerTelemetry extends Telemetry {
  /** What is read at each scrape about tasks and workers. */
  setDepths(read: () => Promise<Depths>): void;
  /** What the /work door counts. */
  readonly work: WorkMetrics;
  /** How many requests wait for their answers is read at each scrape; called once. */
  requests(read: () => number): void;
  /** What a server with a message broker counts; called once. How full queues are is asked at each scrape. */
  amqp(about: BrokerAbout): CourierMetrics;
  /** The answer to a scrape. */
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>;
}

export interface ServerTelemetryOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
}

const batchKinds = ["submit", "exchange", "amend", "append", "beat"] as const satisfies readonly BatchKind[];

const commitSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const pushSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const batchSizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

export function serverTelemetry(options: ServerTelemetryOptions): ServerTelemetry {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const moved = tally("leadhand_moves_total", "Moves of tasks that were committed.", "type", eventTypes, registers);
  const alerted = tally(
    "leadhand_worker_alerts_total",
    "Alerts that workers raised.",
    "severity",
    alertSeverities,
    registers,
  );
  const workerEvent = tally(
    "leadhand_worker_events_total",
    "What happened to workers.",
    "type",
    workerEventTypes,
    registers,
  );
  const commits = commitMetrics(registers);
  const depths = depthGauges(options, registers);
  const sweepLag = new Gauge({
    name: "leadhand_sweep_lag_seconds",
    help: "How late the sweeper last was for the earliest thing it found.",
    registers,
  });
  const pulseSkew = new Gauge({
    name: "leadhand_pulse_skew_seconds",
    help: "The database's clock minus the server's, as the last pulse measured it.",
    registers,
  });
  const pushed = pushMetrics(registers);
  const tracer = trace.getTracer("leadhand", options.version);

  return {
    moved,
    ...{ alerted, workerEvent },
    committed: commits,
    sweptLate: (ms) => sweepLag.set(ms / 1_000),
    pulseSkew: (ms) => pulseSkew.set(ms / 1_000),
    pushed,
    span: (name, attributes, work) => spanned(tracer, name, attributes, work),
    setDepths: depths.setRead,
    work: workMetrics(registers),
    requests: (read) => requestGauge(read, registers),
    amqp: (about) => amqpMetrics(about, options.clock, registers),
    async metrics() {
      await depths.refresh();
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

function requestGauge(read: () => number, registers: Registry[]): void {
  new Gauge({
    name: "leadhand_http_requests",
    help: "Requests that wait for their answers.",
    registers,
    collect() {
      this.set(read());
    },
  });
}

function commitMetrics(registers: Registry[]): Telemetry["committed"] {
  const count = tally("leadhand_commits_total", "Commits, by what they carried.", "kind", batchKinds, registers);
  const seconds = children("leadhand_commit_seconds", "How long commits took.", commitSeconds, registers);
  const sizes = children("leadhand_batch_size", "How many calls a commit carried.", batchSizes, registers);
  return (kind, calls, ms) => {
    count(kind, 1);
    seconds[kind].observe(ms / 1_000);
    sizes[kind].observe(calls);
  };
}

function pushMetrics(registers: Registry[]): Telemetry["pushed"] {
  const outcomes = tally("leadhand_pushes_total", "Requests of push jobs.", "outcome", pushOutcomes, registers);
  const seconds = new Histogram({
    name: "leadhand_push_seconds",
    help: "How long targets of push jobs took to answer.",
    buckets: pushSeconds,
    registers,
  });
  return (outcome, ms) => {
    outcomes(outcome, 1);
    seconds.observe(ms / 1_000);
  };
}

/** One child for each kind, looked up once. */
function children(
  name: string,
  help: string,
  buckets: number[],
  registers: Registry[],
): Record<BatchKind, Histogram.Internal<"kind">> {
  const histogram = new Histogram({ name, help, labelNames: ["kind"], buckets, registers });
  const entries = batchKinds.map((kind) => [kind, histogram.labels(kind)]);
  return Object.fromEntries(entries) as Record<BatchKind, Histogram.Internal<"kind">>;
}

function spanned<T>(
  tracer: Tracer,
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  work: () => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.recordException(error instanceof Error ? error : String(error));
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}
