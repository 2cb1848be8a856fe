// A broker as a server far from it sees it: messages are refused, doubled, or there although nobody hears so; some of
// them are lost although they were confirmed; and of a server that dies nothing is heard again.

import type { Courier } from "../../ports/courier.ts";
import type { Random } from "../../ports/random.ts";
import type { FakeCourier } from "../fake-courier.ts";

export interface UnsteadyCourier {
  readonly courier: Courier;
  /** From now on calls take up to so many turns of the event loop each way, and each trouble has this share. */
  shake(turns: number, share: number): void;
  die(): void;
}

/** `loses` are the queues whose messages may be lost. */
export function unsteadyCourier(broker: FakeCourier, random: Random, loses: ReadonlySet<string>): UnsteadyCourier {
  const never = new Promise<never>(() => {});
  let turns = 0;
  let share = 0;
  let dead = false;

  async function travel(): Promise<void> {
    for (let left = Math.floor(random.fraction() * (turns + 1)); left > 0; left -= 1) await new Promise(setImmediate);
    if (dead) await never;
  }

  async function send(queue: string, body: string): Promise<boolean> {
    const chance = random.fraction();
    if (chance < share) return false;
    if (chance < 2 * share && loses.has(queue)) return broker.isUp();
    const [answer = false] = await broker.publish(queue, [body]);
    if (chance >= 2 * share && chance < 3 * share) await broker.publish(queue, [body]);
    return answer && !(chance >= 3 * share && chance < 4 * share);
  }

  return {
    shake(most, each) {
      turns = most;
      share = each;
    },
    die() {
      dead = true;
    },
    courier: {
      ...{ start: () => broker.start(), stop: async () => {}, isUp: () => !dead && broker.isUp() },
      onUp: (listener) => broker.onUp(() => dead || listener()),
      async publish(queue, bodies) {
        await travel();
        const answers: boolean[] = [];
        for (const body of bodies) answers.push(await send(queue, body));
        await travel();
        return answers;
      },
      isSetAside: (queue, body) => broker.isSetAside(queue, body),
      awaySince: () => (dead ? 0 : broker.awaySince()),
      look: (queue) => broker.look(queue),
      async depth(queue) {
        await travel();
        return broker.depth(queue);
      },
    },
  };
}
