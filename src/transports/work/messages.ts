// What the server says, as JSON text. Payloads and checkpoints are put in as they came: nothing is read and written again.

import type { Problem } from "../../core/problem.ts";
import type { Assignment, SpecVerdict, WorkSession } from "../../engine/desks/work-desk.ts";
import type { HeldAttempt } from "../../engine/letting-go.ts";
import type { CommandRecord } from "../../ports/records.ts";
import { type ServerMessage, workProtocol } from "../../protocol/work/frames.ts";

export interface WelcomeAbout {
  readonly heartbeatMaxGapMs: number;
  readonly lostAfterMs: number;
  /** The server's version. */
  readonly server: string;
}

export function welcomeText(session: WorkSession, about: WelcomeAbout): string {
  const { worker, token, resumed, lost } = session;
  const message: ServerMessage<"welcome"> = {
    ...{ type: "welcome", protocol: workProtocol, workerId: worker, token },
    specs: session.verdicts().map((verdict) => ({
      ...verdictWords(verdict),
      // Where it is accepted, the worker's own is the registered one, or the worker has none.
      ...(!verdict.accepted && verdict.checksum !== null && { checksum: verdict.checksum }),
    })),
    resumed,
    lost: lost.map(({ task, attempt }) => ({ jobId: task, attempt })),
    ...about,
  };
  return JSON.stringify(message);
}

export function specsText(verdicts: readonly SpecVerdict[]): string {
  const message: ServerMessage<"specs"> = { type: "specs", specs: verdicts.map(verdictWords) };
  return JSON.stringify(message);
}

function verdictWords({ id, accepted, reason }: SpecVerdict) {
  return { id, accepted, ...(reason !== null && { reason }) };
}

export function assignmentText({ seq, task, spec, checksum, queue, labels }: Assignment): string {
  const { card, row, payload } = task;
  const logs =
    card.logs === null ? '{"requested":false,"level":null}' : `{"requested":true,"level":${quoted(card.logs)}}`;
  return (
    `{"type":"assignment","seq":${seq},"job":{"id":"${card.id}","attempt":${row.attempt},` +
    `"spec":{"id":${quoted(spec)},"checksum":${quoted(checksum)}},"queue":${quoted(queue)},` +
    `"parameters":${payload},"logs":${logs},"scheduledAt":"${scheduled(card.createdAt)}",` +
    `"assignedAt":"${assigned(row.startedAt ?? card.createdAt)}","meta":${metaText(task, labels)}}}`
  );
}

/** What is as with most tasks is left out. */
function metaText({ card, row }: Assignment["task"], labels: Assignment["labels"]): string {
  let text = `{"room":${quoted(card.room)}`;
  if (card.priority !== 0) text += `,"priority":${card.priority}`;
  for (const _ in labels) {
    text += `,"labels":${JSON.stringify(labels)}`;
    break;
  }
  if (card.parent !== null) text += `,"parentId":"${card.parent}"`;
  if (card.retryOf !== null) text += `,"retryOf":"${card.retryOf}"`;
  if (card.submitter !== null) text += `,"submitter":${quoted(card.submitter)}`;
  if (row.failures > 0) text += `,"failures":${row.failures}`;
  if (row.losses > 0) text += `,"losses":${row.losses}`;
  if (row.checkpoint !== null) text += `,"checkpoint":${row.checkpoint}`;
  if (card.policy.timeoutMs !== undefined) text += `,"timeoutMs":${card.policy.timeoutMs}`;
  return `${text}}`;
}

export function resultAckText({ task, attempt }: HeldAttempt, refusal: Problem | null): string {
  const head = `{"type":"resultAck","jobId":"${task}","attempt":${attempt},"accepted":`;
  if (refusal === null) return `${head}true}`;
  return `${head}false,"reason":"${refusal.code}"${refusal.retry ? ',"retry":true' : ""}}`;
}

export function cancelText({ task, attempt }: HeldAttempt): string {
  return `{"type":"cancel","jobId":"${task}","attempt":${attempt}}`;
}

export const drainText = '{"type":"drain"}';

export function commandText({ id, type, args, note }: CommandRecord): string {
  const said = args === null ? {} : (JSON.parse(args) as { readonly task_id?: string });
  const { task_id: jobId, ...others } = said;
  const message = { type: "command", id, command: type, ...others, jobId, ...(note !== null && { note }) };
  return JSON.stringify(message);
}

export function beatText(nonce: number): string {
  return `{"type":"beat","nonce":${nonce}}`;
}

export function errorText(problem: Problem): string {
  return `{"type":"error","problem":${JSON.stringify(problem.toBody())}}`;
}

export function batchText(messages: readonly string[]): string {
  return `{"type":"batch","messages":[${messages.join(",")}]}`;
}

/** Names are mostly plain, and need no escapes. */
function quoted(text: string): string {
  return /^[\w:@./+ -]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Tasks of one turn are mostly assigned at one time, and often were submitted at one. */
const [scheduled, assigned] = [latestTime(), latestTime()];

function latestTime(): (at: number) => string {
  let [latest, text] = [0, "1970-01-01T00:00:00.000Z"];
  return (at) => {
    if (at !== latest) [latest, text] = [at, new Date(at).toISOString()];
    return text;
  };
}
