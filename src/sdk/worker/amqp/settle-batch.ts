// How attempts ended, told together: the ends of one moment are one request and one commit. Each gets its own answer.

import { gathering } from "../../amqp/gathering.ts";
import { inBodies } from "../../amqp/in-bodies.ts";
import { messageText } from "../../deferral.ts";
import { type ProblemDocument, ServerProblem } from "../../problem.ts";
import type { RestReply } from "../../rest-api.ts";
import type { SteadyApi } from "../../steady-api.ts";
import type { ClaimedTask } from "../claimed-task.ts";
import type { End, SendEnd } from "../settle.ts";

export interface SettleBatchParts {
  readonly api: SteadyApi;
  /** The worker of the moment. */
  worker(): string;
  /** When a task that asked for it is tried again, after what happened to it before. */
  retryDelayMs(task: ClaimedTask, delayMs: number): Promise<number>;
}

interface Told {
  readonly text: string;
  readonly signal: AbortSignal;
}

type Item = { readonly ok: true } | { readonly ok: false; readonly problem: ProblemDocument };

const itemsMax = 100;
/** Of one request; each result may have a million, and a body at most four. */
const charactersMax = 2_500_000;

export function settleBatch(parts: SettleBatchParts): SendEnd {
  const send = async (told: readonly Told[]): Promise<readonly Item[]> => {
    const items: Item[] = [];
    for (const some of inBodies(told, charactersMax)) items.push(...(await sendSome(parts, some)));
    return items;
  };
  const ends = gathering(itemsMax, send);

  return async (task, end, signal) => {
    const answer = await ends.add({ text: await endText(parts, task, end), signal });
    if (!answer.ok) throw new ServerProblem(answer.problem);
    return { status: 200, headers: new Headers(), body: answer, text: "" } satisfies RestReply;
  };
}

/** One that the server cannot read must not speak for the others. */
async function sendSome(parts: SettleBatchParts, told: readonly Told[]): Promise<readonly Item[]> {
  const body = `{"worker_id":"${parts.worker()}","results":[${told.map(({ text }) => text).join(",")}]}`;
  // All of one worker fall silent at once.
  const { signal } = told[0] as Told;
  try {
    const { body: answer } = await parts.api.request<{ items: readonly Item[] }>("POST", "/tasks/settle", {
      body,
      signal,
    });
    return answer.items;
  } catch (error) {
    if (!(error instanceof ServerProblem) || error.status === 401) throw error;
    const { code: type, message: detail, status, errors } = error;
    if (told.length === 1) return [{ ok: false, problem: { type, title: detail, detail, status, errors } }];
    const items: Item[] = [];
    for (const each of told) items.push(...(await sendSome(parts, [each])));
    return items;
  }
}

/** Results, details and checkpoints are JSON already. */
async function endText(parts: SettleBatchParts, task: ClaimedTask, end: End): Promise<string> {
  const head = `{"id":"${task.id}","attempt":${task.attempt},"status":"${end.type}"`;
  switch (end.type) {
    case "completed":
      return `${head},"result":${end.result ?? "null"}}`;
    case "failed": {
      const { message: error, details, retryable } = end;
      const words = JSON.stringify({ error, error_code: end.code ?? classOf(details), retryable });
      return `${head},${words.slice(1, -1)},"error_details":${details ?? "null"}}`;
    }
    case "released": {
      const { reason = "retry_later", delayMs, checkpoint } = end;
      const delay = reason === "shutdown" ? delayMs : await parts.retryDelayMs(task, delayMs);
      const kept = checkpoint === null ? "" : `,"checkpoint":${checkpoint}`;
      return `${head},"reason":"${reason}","delay_seconds":${delay / 1_000}${kept}}`;
    }
    case "deferred":
      return `${head},"total":${end.total},"messages":[${end.messages.map(messageText).join(",")}]}`;
  }
}

/** The document stores the class of what was thrown. */
function classOf(details: string | null): string | null {
  const said: unknown = details === null ? null : JSON.parse(details);
  const name = typeof said === "object" && said !== null && "name" in said ? said.name : null;
  return typeof name === "string" ? name : null;
}
