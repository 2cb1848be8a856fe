// Thresholds that do not increase make states that no worker can be in. Start-up refuses them, naming both settings.

import { type ProfileName, type Profiles, profileNames } from "./liveness.ts";

export interface ThresholdFault {
  readonly profile: ProfileName;
  readonly lower: string;
  readonly lowerMs: number;
  readonly upper: string;
  readonly upperMs: number;
}

export function thresholdFaults(profiles: Profiles): ThresholdFault[] {
  return profileNames.flatMap((profile) => {
    const rules = profiles[profile];
    const ladder: [string, number][] = [["beatMs", rules.beatMs]];
    if (rules.unreachableMs !== null) ladder.push(["unreachableMs", rules.unreachableMs]);
    ladder.push(["lostMs", rules.lostMs]);
    if (rules.stuckTaskMs !== null) ladder.push(["stuckTaskMs", rules.stuckTaskMs]);
    if (rules.removedMs > 0) ladder.push(["removedMs", rules.removedMs]);
    return notIncreasing(profile, ladder);
  });
}

function notIncreasing(profile: ProfileName, ladder: readonly [string, number][]): ThresholdFault[] {
  return ladder.slice(1).flatMap(([upper, upperMs], index) => {
    const [lower, lowerMs] = ladder[index] as [string, number];
    return upperMs > lowerMs ? [] : [{ profile, lower, lowerMs, upper, upperMs }];
  });
}
