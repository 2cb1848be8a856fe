import { createHash } from "node:crypto";
import type { Static } from "typebox";
import { globalRoom, isInternal } from "../../../core/name.ts";
import type { Policy } from "../../../core/policy.ts";
import { badField, type FieldError, Problem } from "../../../core/problem.ts";
import type { Desks } from "../../../engine/desks/desks.ts";
import type { DeskTask, RequestKey } from "../../../engine/desks/submit-desk.ts";
import type { TaskQuery } from "../../../engine/desks/task-desk.ts";
import type { Clock } from "../../../ports/clock.ts";
import { memberText, memberTexts } from "../../../protocol/member-text.ts";
import type { submitRoutes } from "../../../protocol/rest/submit-routes.ts";
import { type TaskListQuery, TaskSubmit } from "../../../protocol/rest/task-bodies.ts";
import type { PageOf } from "../../../protocol/rest/words.ts";
import { type Handlers, json } from "../call.ts";
import { idBehind, taskPageAnswer } from "../page-json.ts";
import { partCheck } from "../request-check.ts";
import { taskJson } from "../task-json.ts";

type Words = Static<typeof TaskSubmit>;

export function submitHandlers(
  { submits, checks, tasks, jobs }: Desks,
  clock: Clock,
): Handlers<keyof typeof submitRoutes> {
  return {
    async submitTask({ who, params, headers, body, text, prefix }) {
      const task = taskOf(params.job_name, body, memberText(text, ["payload"]), "");
      const key = keyOf(headers, `POST rooms/${params.room_id}/tasks/${params.job_name}`, text);
      const [view] = await submits.submit(who, params.room_id, [task], { key, pointer: () => "" });
      if (view === undefined) throw new Error("A submit was answered without its task");
      const { card, row } = view.record;
      // One that could not be dispatched inside the server is over: there is nothing to come back for.
      const later = { location: `${prefix}/tasks/${card.id}`, "retry-after": "1" };
      return {
        status: 202,
        json: taskJson(view),
        headers: isInternal(view.job) && row.state === "failed" ? {} : later,
      };
    },
    async submitTasks({ who, params, headers, body, text }) {
      const payloads = memberTexts(text, ["tasks"], "payload");
      const wanted = body.tasks.map((words, nth) => taskOf(words.job, words, payloads[nth], `/tasks/${nth}`));
      const key = keyOf(headers, `POST rooms/${params.room_id}/tasks`, text);
      const views = await submits.submit(who, params.room_id, wanted, { key, pointer: (nth) => `/tasks/${nth}` });
      return { status: 202, json: `{"items":[${views.map(taskJson).join(",")}]}` };
    },
    async checkPayload({ who, params, body, text }) {
      const { payload: read = {} } = body;
      const payload = { payload: memberText(text, ["payload"]) ?? "{}", read };
      const found = await checks.faults(who, params.room_id, params.job_name, payload);
      const misshapen = shapeFaults(read);
      const errors = misshapen.length > 0 ? misshapen : found;
      return json(200, { valid: errors.length === 0, errors });
    },
    async listRoomTasks({ who, params, query }) {
      return taskPageAnswer(await tasks.list(who, { ...listWords(query), room: params.room_id }), query);
    },
    async listTasks({ who, query }) {
      const { job } = query;
      if (job !== undefined) await jobs.get(who, globalRoom, job);
      return taskPageAnswer(await tasks.list(who, { ...listWords(query), ...(job !== undefined && { job }) }), query);
    },
    async countTasks({ who, query }) {
      const { count, exact, byState } = await tasks.count(who, query.q ?? "");
      return { status: 200, json: JSON.stringify({ count, exact, by_state: byState }) };
    },
  };

  function taskOf(job: string, words: Words, payload: string | undefined, pointer: string): DeskTask {
    const { priority, queue, labels, parent_id: parent, logs } = words;
    return {
      job,
      payload: payload ?? "{}",
      read: words.payload ?? {},
      priority,
      queue,
      labels,
      parent: parent?.toLowerCase() ?? null,
      runAt: runAtOf(words, pointer),
      policy: policyOf(words),
      logs: logs?.requested === false ? null : logs && (logs.level ?? "info"),
    };
  }

  function runAtOf({ delay_seconds: delay, run_at: at }: Words, pointer: string): number | null {
    if (delay !== undefined && at !== undefined) {
      throw badField(`${pointer}/run_at`, "and delay_seconds exclude each other");
    }
    if (delay !== undefined) return clock.now() + Math.round(1_000 * delay);
    return at === undefined ? null : Date.parse(at);
  }
}

const checkShape = partCheck(TaskSubmit, "");

/** What the description of a submit says against it, whatever its job. */
function shapeFaults(payload: unknown): readonly FieldError[] {
  try {
    checkShape({ payload }, 0);
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors;
  }
}

function listWords(query: Static<typeof TaskListQuery> & PageOf): TaskQuery {
  const { status: state, q, cursor, payloads, limit, offset } = query;
  return {
    ...{ limit, offset },
    ...(state && { state }),
    ...(q !== undefined && { q }),
    ...(cursor !== undefined && { before: idBehind(cursor) }),
    ...(payloads !== undefined && { payloads }),
  };
}

function policyOf({ retry, timeout_seconds: timeout }: Words): Policy | null {
  if (retry === undefined && timeout === undefined) return null;
  return {
    ...(retry && { retry }),
    ...(timeout !== undefined && { timeoutMs: Math.round(1_000 * timeout) }),
  } as Policy;
}

export function keyOf(
  headers: { readonly "idempotency-key"?: string },
  route: string,
  text: string,
): RequestKey | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  return { route, key, bodyHash: createHash("sha256").update(text).digest("base64url") };
}
