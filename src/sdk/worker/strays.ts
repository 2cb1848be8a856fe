// Tasks that the server takes for held by this worker, and that it does not have: a claim took them, and its answer got
// lost. The worker lives and beats, so nobody else would ever give them back.

import { ServerProblem } from "../problem.ts";
import type { SteadyApi, SteadyAsk } from "../steady-api.ts";
import type { Hands } from "./hands.ts";

export interface Strays {
  /** When no answer can be under way: all that are found go back. */
  giveBack(worker: string, how?: Pick<SteadyAsk, "signal" | "tries">): Promise<void>;
  /** At any time: those that were found the last time too go back. */
  look(worker: string): Promise<void>;
}

interface Stray {
  readonly id: string;
  readonly attempt: number;
}

const tries = 5;
const pageMax = 500;

export function strays(api: SteadyApi, hands: Hands): Strays {
  let seen: ReadonlySet<string> = new Set();
  const keyOf = ({ id, attempt }: Stray): string => `${id} ${attempt}`;

  async function find(worker: string, how: Pick<SteadyAsk, "signal" | "tries">): Promise<readonly Stray[]> {
    const found: Stray[] = [];
    for (const status of ["running", "claimed"]) {
      for (let offset = 0, isLast = false; !isLast; offset += pageMax) {
        const path = `/workers/${worker}/tasks?status=${status}&limit=${pageMax}&offset=${offset}`;
        const { items } = (await api.request<{ items: readonly Stray[] }>("GET", path, how)).body;
        found.push(...items);
        isLast = items.length < pageMax;
      }
    }
    return found.filter(({ id }) => !hands.has(id));
  }

  async function letGo({ id, attempt }: Stray, how: Pick<SteadyAsk, "signal" | "tries"> = {}): Promise<void> {
    try {
      await api.request("POST", `/tasks/${id}/release`, { tries, ...how, body: { attempt } });
    } catch (error) {
      // It went back by itself, or is somebody else's by now.
      if (!(error instanceof ServerProblem) || error.status === 401) throw error;
    }
  }

  return {
    async giveBack(worker, how = { tries }) {
      const found = await find(worker, how);
      await Promise.all(found.map((stray) => letGo(stray, how)));
    },
    async look(worker) {
      const found = await find(worker, { tries });
      const before = seen;
      seen = new Set(found.map(keyOf));
      await Promise.all(found.filter((stray) => before.has(keyOf(stray))).map((stray) => letGo(stray)));
    },
  };
}
