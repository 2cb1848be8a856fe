// What sends the tasks of push jobs from this server, by its settings.

import { lookup } from "node:dns/promises";
import type { Engine } from "../engine/engine.ts";
import { type Pushes, pushes } from "../engine/push/pushes.ts";
import type { Surroundings } from "../engine/surroundings.ts";
import type { Clock } from "../ports/clock.ts";
import type { Schemas } from "../ports/schemas.ts";
import { webhookPusher } from "../transports/webhook/webhook-pusher.ts";
import type { Config } from "./settings/settings.ts";

export interface PushStart {
  readonly around: Surroundings;
  readonly engine: Engine;
  readonly schemas: Schemas;
  readonly config: Config;
  /** The machine's, as targets live by. */
  readonly clock: Clock;
  /** It listens here. */
  readonly address: string;
}

export function startPushes({ around, engine, schemas, config, clock, address }: PushStart): Pushes {
  const pusher = webhookPusher({
    rules: around.settings.push,
    clock,
    resolve: (host) => lookup(host, { all: true }),
    bytesMax: config.payloadBytesMax,
  });
  const publicUrl = (config.publicUrl ?? address).replace(/\/+$/, "");
  const started = pushes(around, { operations: engine, pusher, schemas, places: config.pushConcurrency, publicUrl });
  started.start();
  return started;
}
