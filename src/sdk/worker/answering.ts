// Commands of a worker over REST: they come with the answer to each heartbeat until the server has heard that they were
// obeyed, and are obeyed once.

import { wordsOf } from "../failure.ts";
import type { SteadyApi } from "../steady-api.ts";
import { type Ack, type ObedienceParts, obey, type ToldCommand } from "./obedience.ts";

/** An acknowledgement that is lost follows the next heartbeat. */
const tries = 2;

export function answering(api: SteadyApi, parts: ObedienceParts) {
  const said = new Map<string, Ack>();

  async function tell(worker: string, { id, ...body }: Ack): Promise<void> {
    await api.request("POST", `/workers/${worker}/commands/${id}/ack`, { body, tries });
    said.delete(id);
  }

  return (worker: string, commands: readonly ToldCommand[]): void => {
    for (const command of commands) {
      const ack = said.get(command.id) ?? obey(command, parts);
      said.set(command.id, ack);
      tell(worker, ack).catch((error: unknown) => parts.log.debug("not acknowledged", { why: wordsOf(error) }));
    }
  };
}
