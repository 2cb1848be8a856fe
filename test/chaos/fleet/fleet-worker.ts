// A worker of the documents' fleet, by plain requests: registers, offers a block, pings, polls and pushes.

import { setTimeout as pause } from "node:timers/promises";
import { type Deed, type Orders, perform, say, schema } from "./words.ts";

const pingMs = 700;
const pollMs = 100;
const block = { package: "chaos.test", name: "step", version: "1.0.0", fbType: "execute" };

export async function fleetWorker({ url, token }: Orders): Promise<never> {
  async function post(path: string, body: object = {}): Promise<{ readonly status: number; readonly body: unknown }> {
    for (;;) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(body), signal: AbortSignal.timeout(10_000) };
      const answer = await fetch(url + path, init)
        .then(async (said) => ({ status: said.status, body: await said.json().catch(() => null) }))
        .catch(() => null);
      if (answer !== null && answer.status !== 503) return answer;
      await pause(150);
    }
  }

  async function ping(uuid: string, gone: AbortController): Promise<void> {
    while (!gone.signal.aborted) {
      if ((await post(`/workers/${uuid}/ping`)).status === 404) gone.abort();
      else await pause(pingMs);
    }
  }

  async function poll(workerUuid: string, gone: AbortSignal): Promise<void> {
    while (!gone.aborted) {
      const { body } = await post("/blackboard/job", { workerUuid });
      // This door knows no attempts.
      const { jobs = [] } = (body ?? {}) as { jobs?: { id: string; parameters: Deed }[] };
      for (const { id, parameters } of jobs) {
        const error = await perform(parameters, 1).then(
          () => null,
          ({ message }: Error) => ({ code: "NO_LUCK", message }),
        );
        const about = { workerUuid, jobId: id, success: error === null };
        await post(
          "/blackboard/job/result",
          error === null ? { ...about, resultData: { of: id } } : { ...about, error },
        );
      }
      if (jobs.length === 0) await pause(pollMs);
    }
  }

  for (;;) {
    const { body } = await post("/workers/register", { name: "fleet" });
    const { uuid } = body as { uuid: string };
    const described = { ...block, isPure: true, isIdempotent: true };
    const functionBlocks = [{ ...described, parameterJsonSchema: schema, resultDataJsonSchema: {} }];
    await post("/function-blocks/register", { workerUuid: uuid, functionBlocks });
    say({ ready: uuid });
    const gone = new AbortController();
    await Promise.all([ping(uuid, gone), poll(uuid, gone.signal)]);
  }
}
