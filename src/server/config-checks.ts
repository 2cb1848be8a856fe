// What several settings must agree on. Each check names the settings it looks at, so that it can be left out when one of
// them could not be read.

import { BlockList } from "node:net";
import { documentQueues, nameFault } from "../protocol/amqp/topology.ts";
import { isPathPrefix } from "./forwarding.ts";
import { type Config, type SettingName, settings } from "./settings/settings.ts";

interface Check {
  readonly settings: readonly SettingName[];
  /** What is wrong, in words; null when all is well. */
  fault(config: Config): string | null;
}

export const configChecks: readonly Check[] = [
  less("clockSkewWarnMs", "clockSkewMaxMs"),
  notMore("payloadBytesMax", "bodyBytesMax"),
  notMore("providerUploadBytesMax", "providerCacheBytesMax"),
  notMore("providerLongPollDefaultMs", "providerLongPollMaxMs"),
  notMore("transientBaseMs", "transientCapMs"),
  notMore("oomBaseMs", "oomCapMs"),
  {
    settings: ["pulseMs", "leaderLeaseMs"],
    fault: ({ pulseMs, leaderLeaseMs }) =>
      leaderLeaseMs > 2 * pulseMs
        ? null
        : `${variable("leaderLeaseMs")} must be more than twice ${variable("pulseMs")}`,
  },
  {
    settings: ["tlsCert", "tlsKey"],
    fault: ({ tlsCert, tlsKey }) =>
      (tlsCert === null) === (tlsKey === null) ? null : `${variable("tlsCert")} and ${variable("tlsKey")} go together`,
  },
  {
    settings: ["host", "tlsCert", "allowInsecureBind"],
    fault: ({ host, tlsCert, allowInsecureBind }) =>
      isLoopback(host) || tlsCert !== null || allowInsecureBind
        ? null
        : `${variable("host")} (${host}) is not a loopback address: set ${variable("tlsCert")} and ` +
          `${variable("tlsKey")}, or ${variable("allowInsecureBind")} if something else encrypts`,
  },
  {
    settings: ["trustedProxies"],
    fault({ trustedProxies }) {
      const bad = (trustedProxies ?? []).filter((each) => !isNetwork(each));
      return bad.length === 0
        ? null
        : `${variable("trustedProxies")} (${bad.join(", ")}) must be addresses or networks, like 10.0.0.7 or 10.0.0.0/8`;
    },
  },
  {
    settings: ["pathPrefix"],
    fault: ({ pathPrefix }) =>
      pathPrefix === null || (pathPrefix !== "" && isPathPrefix(pathPrefix))
        ? null
        : `${variable("pathPrefix")} (${pathPrefix}) must be a path like /leadhand, without a slash at its end`,
  },
  {
    settings: ["databaseUrl", "databaseListenUrl"],
    fault: ({ databaseUrl, databaseListenUrl }) =>
      databaseListenUrl !== null && databaseUrl === null
        ? `${variable("databaseListenUrl")} needs ${variable("databaseUrl")}`
        : null,
  },
  {
    settings: ["internalBroker", "amqpUrl"],
    fault: ({ internalBroker, amqpUrl }) =>
      internalBroker === "amqp" && amqpUrl === null
        ? `${variable("internalBroker")} is amqp, which needs ${variable("amqpUrl")}`
        : null,
  },
  {
    settings: ["databasePooler", "databaseListenUrl"],
    fault: ({ databasePooler, databaseListenUrl }) =>
      databasePooler && databaseListenUrl === null
        ? `${variable("databasePooler")} needs ${variable("databaseListenUrl")}: LISTEN does not work through a pooler`
        : null,
  },
  {
    settings: ["amqpQueues", "amqpDeadLetterQueue"],
    fault({ amqpQueues, amqpDeadLetterQueue }) {
      const names = Object.keys(amqpQueues);
      const bad = names.find((name) => nameFault(name) !== null);
      if (bad !== undefined) return `${variable("amqpQueues")}: the name ${JSON.stringify(bad)} ${nameFault(bad)}`;
      return names.includes(amqpDeadLetterQueue)
        ? `${variable("amqpDeadLetterQueue")} (${amqpDeadLetterQueue}) must not be one of ${variable("amqpQueues")}`
        : null;
    },
  },
  named("amqpDeadLetter"),
  named("amqpDeadLetterQueue"),
];

/** Something that RabbitMQ is to have by that name. */
function named(name: "amqpDeadLetter" | "amqpDeadLetterQueue"): Check {
  return {
    settings: [name],
    fault(config) {
      const fault = nameFault(config[name]);
      return fault === null ? null : `${variable(name)} ${fault}`;
    },
  };
}

/** Worth a word, but no reason to refuse. */
export function configWarnings(config: Config): string[] {
  const { fleetBeatMs, fleetUnreachableMs, jwtSecret, amqpUrl, amqpQueues } = config;
  const warnings: string[] = [];
  if (amqpUrl === null && amqpQueues !== documentQueues) {
    warnings.push(`${variable("amqpQueues")} says nothing without ${variable("amqpUrl")}`);
  }
  if (fleetBeatMs > fleetUnreachableMs / 3) {
    const [beat, unreachable] = [variable("fleetBeatMs"), variable("fleetUnreachableMs")];
    warnings.push(`${beat} is more than a third of ${unreachable}: one lost ping may show`);
  }
  if (jwtSecret !== null && Buffer.byteLength(jwtSecret) < hashBytes) {
    warnings.push(`${variable("jwtSecret")} is shorter than ${hashBytes} bytes: whoever sees a JWT may guess it`);
  }
  return warnings;
}

/** Of SHA-256; RFC 7518 wants a secret no shorter than that. */
const hashBytes = 32;

export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return bare === "localhost" || bare === "::1" || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(bare);
}

/** An address, or one with the length of its prefix. */
export function isNetwork(text: string): boolean {
  const [, address, digits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  if (address === undefined) return false;
  const family = address.includes(":") ? "ipv6" : "ipv4";
  try {
    new BlockList().addSubnet(address, digits === undefined ? 32 : Number(digits), family);
    return true;
  } catch {
    return false;
  }
}

type NumberSetting = { [K in SettingName]: Config[K] extends number ? K : never }[SettingName];

function less(lower: NumberSetting, upper: NumberSetting): Check {
  return {
    settings: [lower, upper],
    fault: (config) =>
      config[lower] < config[upper] ? null : `${variable(upper)} must be greater than ${variable(lower)}`,
  };
}

function notMore(lower: NumberSetting, upper: NumberSetting): Check {
  return {
    settings: [lower, upper],
    fault: (config) =>
      config[lower] <= config[upper] ? null : `${variable(lower)} must not be greater than ${variable(upper)}`,
  };
}

function variable(name: SettingName): string {
  return settings[name].variables[0];
}
