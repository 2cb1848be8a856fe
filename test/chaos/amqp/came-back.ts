// What a consumer had in hand when it was killed comes back by itself, from the broker. The server tells again of whatever
// nobody takes for long; where that was first, the message may as well have been acknowledged too early, and nothing is shown.

import { until } from "../../../src/testing/until.ts";
import type { Consumer, Heard } from "./consumers.ts";
import type { Exchange } from "./request-gate.ts";
import type { Stage } from "./stage.ts";

const limitMs = 15_000;

/** A task that was about to be claimed is claimed all the same. To be asked before the consumer is killed. */
export async function claimedYet({ ask }: Stage, { asked }: Exchange): Promise<boolean> {
  const types = async (id: string): Promise<readonly string[]> => {
    const { body } = await ask("GET", `/tasks/${id}/events`);
    return body.items.map(({ type }: { readonly type: string }) => type);
  };
  for (const id of JSON.parse(asked).task_ids) {
    // A copy of what somebody has long had is nobody's loss.
    if ((await types(id)).some((type) => type !== "task.submitted")) continue;
    let seen: readonly string[] = [];
    const isClaimed = async (): Promise<boolean> => {
      seen = await types(id);
      return seen.includes("task.assigned");
    };
    const came = await within("somebody else claims it", isClaimed);
    return came && !seen.slice(0, seen.indexOf("task.assigned")).includes("task.republished");
  }
  return false;
}

/** An operation that was begun is begun by another process. To be asked before the consumer is killed. */
export async function ranAgain(
  { crew, server, ask }: Stage,
  killed: Consumer,
  { ran, id, nth }: Pick<Heard, "ran" | "id" | "nth">,
): Promise<boolean> {
  const [pid, from] = [killed.pid(), crew.said.length];
  const isIt = (said: Heard): boolean => said.ran === ran && said.id === id && said.nth === nth && said.by !== pid;
  const came = await within("somebody else runs it", () => crew.said.slice(from).some(isIt));
  // What the server wrote before it answers this has been read by then.
  await ask("GET", `/tasks/${id}`);
  const isToldAgain = (line: string): boolean => line.includes("are told again") && line.includes(id);
  return came && !server.log().split("\n").some(isToldAgain);
}

function within(what: string, condition: () => boolean | Promise<boolean>): Promise<boolean> {
  return until(what, condition, limitMs).then(
    () => true,
    () => false,
  );
}
