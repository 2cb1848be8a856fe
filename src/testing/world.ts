// A whole engine in memory, with a clock that stands still until it is moved: for tests of jobs, doors and the engine
// itself. Nothing in it sleeps, and nothing in it is a double of the rules: only time, chance and disk are replaced.

import { localBus } from "../buses/local/local-bus.ts";
import type { Json } from "../core/checksum.ts";
import { defaultProfiles } from "../core/liveness.ts";
import type { Policy } from "../core/policy.ts";
import { type Engine, engine } from "../engine/engine.ts";
import { defaultSettings, type EngineSettings, type Surroundings } from "../engine/surroundings.ts";
import type { TaskRequest } from "../engine/task-request.ts";
import type { Bus } from "../ports/bus.ts";
import type { Courier } from "../ports/courier.ts";
import type { ClaimedTask, TaskRecord, WorkerRecord } from "../ports/records.ts";
import type { Schemas } from "../ports/schemas.ts";
import type { Store } from "../ports/store.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import { memoryStore } from "../stores/memory/memory-store.ts";
import { countingIds } from "./counting-ids.ts";
import { type ManualClock, manualClock } from "./manual-clock.ts";
import { type RecordedLog, recordedLog } from "./recorded-log.ts";

export interface World {
  readonly engine: Engine;
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: ManualClock;
  readonly log: RecordedLog;
  /** What the engine is built on. */
  readonly around: Surroundings;
  /** A job that any worker of this world may serve. */
  job(name?: string, policy?: Policy, schema?: Json): Promise<string>;
  /** A worker of the `work` profile unless told otherwise, serving these jobs. */
  worker(jobs: readonly string[], words?: Partial<WorkerRecord>): Promise<string>;
  submit(job: string, request?: Partial<TaskRequest>): Promise<TaskRecord>;
  /** What the worker gets at once. */
  claim(worker: string, limit?: number, assign?: boolean): Promise<readonly ClaimedTask[]>;
  task(id: string): Promise<TaskRecord>;
  /** The types of the task's events, in order. */
  history(id: string): Promise<string[]>;
  /** Moves the clock and lets everything that was due by then run out. */
  pass(ms: number): Promise<void>;
  stop(): Promise<void>;
}

export interface WorldOptions {
  readonly store?: Store;
  /** Stands between the engine and its store, to see what passes or to spoil it; the world itself goes past it. */
  readonly between?: (store: Store) => Store;
  readonly bus?: Bus;
  readonly clock?: ManualClock;
  readonly settings?: Partial<EngineSettings>;
  readonly source?: number;
  readonly schemas?: Schemas;
  /** Started and stopped by the test. */
  readonly courier?: Courier;
}

export const silentTelemetry: Telemetry = {
  moved() {},
  alerted() {},
  workerEvent() {},
  committed() {},
  sweptLate() {},
  pulseSkew() {},
  pushed() {},
  span: (_name, _attributes, work) => work(),
};

export async function world(options: WorldOptions = {}): Promise<World> {
  const clock = options.clock ?? manualClock();
  const store = options.store ?? memoryStore();
  const bus = options.bus ?? localBus();
  const log = recordedLog();
  const around: Surroundings = {
    store: options.between?.(store) ?? store,
    clock,
    log,
    bus,
    ids: countingIds(clock, options.source ?? 1),
    random: { fraction: () => 0.5 },
    telemetry: silentTelemetry,
    settings: {
      ...defaultSettings,
      profiles: defaultProfiles,
      node: { version: "test", address: null },
      ...options.settings,
    },
  };
  const running = await engine({
    ...{ ...around, categories: ["modifiers", "selections", "analysis"] },
    ...(options.schemas !== undefined && { schemas: options.schemas }),
    ...(options.courier !== undefined && { courier: options.courier }),
  });
  await running.start();
  return {
    engine: running,
    around,
    store,
    bus,
    clock,
    log,
    ...conveniences(running, store, clock),
    stop: () => running.stop(),
  };
}

function conveniences(engine: Engine, store: Store, clock: ManualClock) {
  return {
    async job(name = "@global:modifiers:Rotate", policy: Policy = {}, schema: Json = {}): Promise<string> {
      await engine.jobs.register({ name, schema, policy, source: "explicit", replace: true });
      return name;
    },
    async worker(jobs: readonly string[], words: Partial<WorkerRecord> = {}): Promise<string> {
      const links = new Map(jobs.map((job) => [job, null]));
      const worker = await engine.workers.register({ profile: "work", owner: "someone", ...words, jobs: links });
      return worker.id;
    },
    async submit(job: string, request: Partial<TaskRequest> = {}): Promise<TaskRecord> {
      const [task] = await engine.submit([{ job, room: "@global", payload: "{}", ...request }]);
      return task as TaskRecord;
    },
    claim: (worker: string, limit = 1, assign = true) => engine.claim({ worker, limit, assign, waitMs: 0 }),
    async task(id: string): Promise<TaskRecord> {
      const [task] = await store.read("tasks", { ids: [id] });
      if (task === undefined) throw new Error(`There is no task ${id}`);
      return task;
    },
    async history(id: string): Promise<string[]> {
      const { items } = await store.read("events", { task: id, limit: 500, offset: 0 });
      return items.map(({ type }) => type.replace("task.", ""));
    },
    async pass(ms: number): Promise<void> {
      // In steps, as time really passes: a jump would look like a server that was asleep.
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(left, stepMs));
        await settled();
      }
    },
  };
}

const stepMs = 250;

/** Lets everything that was set going run out: in memory, work is a chain of turns of the event loop, never a wait. */
export async function settled(turns = 60): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
}
