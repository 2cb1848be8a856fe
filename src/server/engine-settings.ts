// What the engine needs to know of the settings.

import { hostname } from "node:os";
import type { EngineSettings } from "../engine/surroundings.ts";
import { kindOf } from "../protocol/amqp/topology.ts";
import { buildProfiles } from "./profiles.ts";
import type { Config } from "./settings/settings.ts";

export function engineSettings(config: Config, version: string): EngineSettings {
  // A port that is still to be found cannot be told to the others.
  const { host, port } = config;
  return {
    profiles: buildProfiles(config),
    node: { version, address: port === 0 ? null : addressOf(host, port) },
    batchMax: config.batchMax,
    payloadBytesMax: config.payloadBytesMax,
    pendingPerJobMax: config.pendingPerJobMax,
    pulseMs: config.pulseMs,
    leaderLeaseMs: config.leaderLeaseMs,
    clockSkewWarnMs: config.clockSkewWarnMs,
    clockSkewMaxMs: config.clockSkewMaxMs,
    sweepMs: config.sweepMs,
    connectionGraceMs: config.socketGraceMs,
    ackWithinMs: config.workAckWithinMs,
    maxRequeues: config.maxRequeues,
    retentionMs: config.retentionMs,
    idempotencyKeepMs: config.idempotencyKeepMs,
    providerResultMs: config.providerResultTtlMs,
    providerInflightMs: config.providerInflightTtlMs,
    providerCacheBytesMax: config.providerCacheBytesMax,
    push: {
      allowPrivate: config.pushAllowPrivate,
      allowHttp: config.pushAllowHttp,
      allowHosts: config.pushAllowHosts ?? [],
    },
    brokerQueues: brokerQueues(config),
    unconsumedMax: config.amqpUnconsumedMax,
    publishCapMs: config.publisherCapMs,
    messageBytesMax: config.amqpMessageBytesMax,
    republishAfterMs: config.republishAfterMs,
    republishMax: config.republishMax,
  };
}

/** What their messages are is all that an engine has to know of them; none where there is no broker. */
function brokerQueues({ amqpUrl, amqpQueues }: Config): EngineSettings["brokerQueues"] {
  if (amqpUrl === null) return new Map();
  return new Map(Object.entries(amqpQueues).map(([queue, use]) => [queue, kindOf(use)]));
}

/** "All addresses" would say nothing to the others, so the machine is named. */
function addressOf(host: string, port: number): string {
  if (host === "0.0.0.0" || host === "::") return `${hostname()}:${port}`;
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
