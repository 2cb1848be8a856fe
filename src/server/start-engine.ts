// The database and the engine on it, running. How each part ends is added to the life line as it begins.

import { type Desks, desks } from "../engine/desks/desks.ts";
import { type Engine, engine } from "../engine/engine.ts";
import { type Executors, executors } from "../engine/executors/executors.ts";
import type { ServerLoad } from "../engine/node-load.ts";
import type { Surroundings } from "../engine/surroundings.ts";
import type { Broker } from "../ports/broker.ts";
import type { Bus } from "../ports/bus.ts";
import type { Courier } from "../ports/courier.ts";
import type { Schemas } from "../ports/schemas.ts";
import type { Store } from "../ports/store.ts";
import type { ReadConfig } from "./config.ts";
import { engineSettings } from "./engine-settings.ts";
import type { Foundation } from "./foundation.ts";
import type { LifeLine } from "./life-line.ts";
import type { ServerLog } from "./log.ts";
import { brokerField } from "./message-broker.ts";
import { readDepths } from "./read-depths.ts";
import { ajvSchemas } from "./schemas/ajv-schemas.ts";
import type { Config } from "./settings/settings.ts";
import { shownSettings } from "./shown-settings.ts";
import { systemStopwatch } from "./system.ts";
import type { ServerTelemetry } from "./telemetry.ts";
import { timedStore } from "./timed-store.ts";

export interface EngineStart {
  readonly config: Config;
  /** Where the settings came from, where that is known. */
  readonly origins?: ReadConfig["origins"] | undefined;
  readonly foundation: Foundation;
  readonly log: ServerLog;
  readonly telemetry: ServerTelemetry;
  readonly version: string;
  readonly life: LifeLine;
  /** Runs internal jobs, where this server has any. */
  readonly broker: Broker | null;
  /** Leads to the message broker, where there is one; it has been started. */
  readonly courier: Courier | null;
  /** How busy this server is. */
  readonly load: () => ServerLoad;
}

export interface Running {
  readonly engine: Engine;
  readonly desks: Desks;
  readonly store: Store;
  readonly executors: Executors | null;
  readonly bus: Bus;
  readonly schemas: Schemas;
  readonly around: Surroundings;
}

export async function startEngine({ broker, ...start }: EngineStart): Promise<Running> {
  const { config, foundation, log, telemetry, version, life, load, courier } = start;
  const { clock, ids, random } = foundation;
  const opened = await foundation.open(life);
  const { store, times } = timedStore(opened.store, systemStopwatch);
  life.add(() => store.stop());
  const settings = engineSettings(config, version);
  const around = { clock, ids, random, log, ...opened, store, telemetry, settings };
  const schemas = ajvSchemas();
  const started = await engine({
    ...{ ...around, schemas, load },
    ...(courier !== null && { courier }),
    categories: config.allowedCategories,
    providerCategories: config.allowedProviderCategories,
  });
  life.add(() => started.stop());
  await started.start();
  await foundation.admit(store);
  telemetry.setDepths(() => readDepths({ operations: started, store, clock }));
  const inside = broker === null ? null : executors(around, { operations: started, broker, schemas });
  if (inside !== null) {
    life.add(() => inside.stop(config.stopGraceMs));
    await inside.start();
  }
  const asked = desks(around, {
    ...{ operations: started, schemas, facts: { ...facts(start), storeCalls: times } },
    ...(inside !== null && { executors: inside }),
  });
  life.add(() => asked.stop());
  return { engine: started, desks: asked, store, bus: opened.bus, executors: inside, schemas, around };
}

function facts({ config, origins, courier }: Omit<EngineStart, "broker">) {
  const { rabbitmq: url = "" } = brokerField(config);
  const broker = courier === null ? null : { url, isUp: () => courier.isUp(), awaySince: () => courier.awaySince() };
  return { broker, settings: shownSettings(config, origins) };
}
