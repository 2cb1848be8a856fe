// The liveness profiles as they are configured, and the refusal of thresholds that do not increase.

import { defaultProfiles, type Profile, type ProfileName, type Profiles, profileNames } from "../core/liveness.ts";
import { thresholdFaults } from "../core/thresholds.ts";
import { type Config, type SettingName, settings, valueText } from "./settings/settings.ts";

/** Which setting sets which threshold. */
const thresholdSettings = {
  rest: { beatMs: "restBeatMs", lostMs: "restLostMs", startWithinMs: "restStartWithinMs" },
  fleet: {
    beatMs: "fleetBeatMs",
    unreachableMs: "fleetUnreachableMs",
    lostMs: "fleetLostMs",
    stuckTaskMs: "fleetStuckTaskMs",
    stuckBasis: "fleetStuckBasis",
    removedMs: "fleetRemovedMs",
  },
  work: { beatMs: "workBeatMs", lostMs: "workLostMs" },
  amqp: {
    beatMs: "amqpBeatMs",
    lostMs: "amqpLeaseMs",
    ownLeaseMs: "amqpLeaseMs",
    eventGraceMs: "amqpEventGraceMs",
    removedMs: "amqpRemovedMs",
    timeoutMs: "amqpTimeoutMs",
    stallMs: "amqpStallMs",
  },
  internal: { beatMs: "internalBeatMs", lostMs: "internalLostMs", stuckTaskMs: "internalTaskTimeoutMs" },
  push: { ownLeaseMs: "pushLeaseMs" },
} as const satisfies Record<ProfileName, Partial<Record<keyof Profile, SettingName>>>;

export function buildProfiles(config: Config): Profiles {
  const built = (name: ProfileName): Profile => {
    const set = Object.entries(thresholdSettings[name]).map(([key, setting]) => [key, config[setting]]);
    return Object.freeze({ ...defaultProfiles[name], ...Object.fromEntries(set) });
  };
  return Object.freeze(Object.fromEntries(profileNames.map((name) => [name, built(name)]))) as Profiles;
}

export interface ThresholdRefusal {
  readonly settings: readonly [SettingName, SettingName];
  readonly fault: string;
}

export function thresholdRefusals(config: Config): ThresholdRefusal[] {
  return thresholdFaults(buildProfiles(config)).map(({ profile, lower, upper }) => {
    const names: Readonly<Record<string, SettingName>> = thresholdSettings[profile];
    const [low, high] = [names[lower], names[upper]] as [SettingName, SettingName];
    const fault = `${spoken(high, config)} must be greater than ${spoken(low, config)}`;
    return { settings: [low, high], fault };
  });
}

function spoken(name: SettingName, config: Config): string {
  return `${settings[name].variables[0]} (${valueText(settings[name], config[name])})`;
}
