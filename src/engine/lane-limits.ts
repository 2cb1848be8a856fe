// Which lanes have another limit than before: what waited for the old one may run by the new.

import type { Lane } from "../core/lane.ts";

export function limitChanges(): (lanes: readonly Lane[]) => number[] {
  const known = new Map<number, number | null>();
  return (lanes) => {
    const changed = lanes.filter(({ id, maxRunning }) => known.has(id) && known.get(id) !== maxRunning);
    for (const { id, maxRunning } of lanes) known.set(id, maxRunning);
    return changed.map(({ id }) => id);
  };
}
