// Answering reads: what is asked for over Socket.IO is read here and uploaded. A read that fails is in the log; whoever
// asked is told by the server that no answer came in time.

import { type Ask, isForbidden, isPassing } from "./host-api.ts";
import type { Life, ManagerLog } from "./life.ts";
import { backOffMs } from "./patience.ts";
import { bytesOf } from "./provider.ts";
import type { Registry } from "./registry.ts";
import type { ProviderRequest } from "./rooms.ts";
import { pause } from "./wake-up.ts";

export interface ProvidingParts {
  readonly ask: Ask;
  readonly life: Life;
  readonly registry: Registry;
  readonly log: ManagerLog;
}

/** By then whoever asked has gone. */
const uploadTriesMax = 4;

/** Never rejects. */
export async function provide({ ask, life, registry, log }: ProvidingParts, request: ProviderRequest): Promise<void> {
  const { provider_name: name, request_id: hash } = request;
  const registered = registry.providers.get(name);
  if (registered === undefined || life.stopping.aborted) return;
  try {
    const params = JSON.parse(request.params) as Readonly<Record<string, string>>;
    const answer = await new registered.provider().read(params, registered.handler);
    const body = bytesOf(answer, registered.contentType);
    for (let tries = 1; ; tries += 1) {
      try {
        // The id is that of the latest registration, which may be younger than the request.
        await ask("POST", `/providers/${registered.id}/results`, { body, headers: { "x-request-hash": hash } });
        return;
      } catch (error) {
        if (!isPassing(error) || tries === uploadTriesMax) throw error;
        await pause(backOffMs(tries, error), life.over);
      }
    }
  } catch (error) {
    if (isForbidden(error)) life.fail(error);
    else log.error(`Provider ${name} gave no answer`, error);
  }
}
