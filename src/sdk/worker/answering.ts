// Commands of a worker that asks: they come with the answer to each heartbeat until the server has heard that they were
// obeyed, and are obeyed once.

import { wordsOf } from "../failure.ts";
import type { SteadyApi } from "../steady-api.ts";
import { type Ack, type ObedienceParts, obey, type ToldCommand } from "./obedience.ts";

/** An acknowledgement that is lost follows the next heartbeat. */
const tries = 2;

/** Many times what a server tells at once. */
const saidMax = 1_000;

export function answering(api: Pick<SteadyApi, "request">, parts: ObedienceParts) {
  // Kept when the server has heard it too: the answer to a heartbeat may have been on its way meanwhile.
  const said = new Map<string, Ack>();

  function obeyed(command: ToldCommand): Ack {
    const ack = obey(command, parts);
    said.set(command.id, ack);
    const [oldest] = said.keys();
    if (said.size > saidMax && oldest !== undefined) said.delete(oldest);
    return ack;
  }

  return (worker: string, commands: readonly ToldCommand[]): void => {
    for (const command of commands) {
      const { id, ...body } = said.get(command.id) ?? obeyed(command);
      api
        .request("POST", `/workers/${worker}/commands/${id}/ack`, { body, tries })
        .catch((error: unknown) => parts.log.debug("not acknowledged", { why: wordsOf(error) }));
    }
  };
}
