// A worker of the documents' fleet, by plain requests: registers, offers a block, pings, polls and pushes.

import { setTimeout as pause } from "node:timers/promises";
import { type Deed, type Orders, perform, retry, say, schema } from "./words.ts";

const pingMs = 700;
const pollMs = 100;
const block = { package: "chaos.test", name: "step", version: "1.0.0", fbType: "execute", policy: { retry } };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

interface Job {
  readonly id: string;
  readonly parameters: Deed;
}

type Post = (path: string, body?: object, about?: PostOptions) => Promise<Answer>;

interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Whenever it has to be asked once more: when the last time was. */
  onSilence?(from: number, to: number): void;
}

export async function fleetWorker({ url, token, labels }: Orders): Promise<never> {
  const post: Post = async (path, body = {}, { headers = {}, onSilence } = {}) => {
    for (;;) {
      const from = Date.now();
      const always = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const sent = { method: "POST", headers: { ...always, ...headers }, body: JSON.stringify(body) };
      const answer = await fetch(url + path, { ...sent, signal: AbortSignal.timeout(10_000) })
        .then(async (said) => ({ status: said.status, headers: said.headers, body: await bodyOf(said) }))
        .catch(() => null);
      if (answer !== null && answer.status !== 503) return answer;
      onSilence?.(from, Date.now());
      await pause(150);
    }
  };

  for (;;) {
    const { body } = await post("/workers/register", { name: "fleet", ...(labels && { labels }) });
    const { uuid } = body as { uuid: string };
    const described = { ...block, isPure: true, isIdempotent: true };
    const functionBlocks = [{ ...described, parameterJsonSchema: schema, resultDataJsonSchema: {} }];
    await post("/function-blocks/register", { workerUuid: uuid, functionBlocks });
    say({ ready: uuid });
    const gone = new AbortController();
    await Promise.all([ping(post, uuid, gone), poll(post, uuid, gone.signal)]);
  }
}

/** An answer that breaks off is none. */
async function bodyOf(said: Response): Promise<unknown> {
  const text = await said.text();
  return text === "" ? null : JSON.parse(text);
}

async function ping(post: Post, uuid: string, gone: AbortController): Promise<void> {
  while (!gone.signal.aborted) {
    if ((await post(`/workers/${uuid}/ping`)).status === 404) gone.abort();
    else await pause(pingMs);
  }
}

async function poll(post: Post, workerUuid: string, gone: AbortSignal): Promise<void> {
  const onSilence = (from: number, to: number): void => say({ unanswered: workerUuid, from, to });
  while (!gone.aborted) {
    const { headers, body } = await post("/blackboard/job", { workerUuid }, { onSilence });
    const { jobs = [] } = (body ?? {}) as { jobs?: readonly Job[] };
    const attempts = (headers.get("leadhand-attempts") ?? "").split(",").map(Number);
    for (const [nth, job] of jobs.entries()) await work(post, workerUuid, job, attempts[nth] ?? Number.NaN);
    if (jobs.length === 0) await pause(pollMs);
  }
}

async function work(post: Post, workerUuid: string, { id, parameters }: Job, attempt: number): Promise<void> {
  say({ began: id, attempt });
  const error = await perform(parameters, attempt).then(
    () => null,
    ({ message }: Error) => ({ code: "NO_LUCK", message }),
  );
  const about = { workerUuid, jobId: id, success: error === null };
  const result = error === null ? { ...about, resultData: { of: id } } : { ...about, error };
  await post("/blackboard/job/result", result, { headers: { "leadhand-attempt": `${attempt}` } });
}
