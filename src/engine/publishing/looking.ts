import type { Log } from "../../ports/log.ts";

/** One look at a time, and the last that was asked for meanwhile after it. One that fails is left to whoever looks next. */
export function looking(log: Log, complaint: string): (look: () => Promise<void>) => void {
  let underWay = false;
  let next: (() => Promise<void>) | null = null;

  async function run(first: () => Promise<void>): Promise<void> {
    underWay = true;
    for (let look: (() => Promise<void>) | null = first; look !== null; ) {
      await look().catch((error) => log.warn(complaint, { error }));
      look = next;
      next = null;
    }
    underWay = false;
  }

  return (look) => {
    if (underWay) next = look;
    else void run(look);
  };
}
