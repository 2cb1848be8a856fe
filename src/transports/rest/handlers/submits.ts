import { createHash } from "node:crypto";
import type { Static } from "typebox";
import { globalRoom, isInternal } from "../../../core/name.ts";
import type { Policy } from "../../../core/policy.ts";
import { badField } from "../../../core/problem.ts";
import type { Desks } from "../../../engine/desks/desks.ts";
import type { DeskTask, RequestKey } from "../../../engine/desks/submit-desk.ts";
import type { Clock } from "../../../ports/clock.ts";
import { memberText, memberTexts } from "../../../protocol/member-text.ts";
import type { submitRoutes } from "../../../protocol/rest/submit-routes.ts";
import type { TaskSubmit } from "../../../protocol/rest/task-bodies.ts";
import type { Handlers } from "../call.ts";
import { pageAnswer } from "../page-json.ts";
import { taskJson } from "../task-json.ts";

type Words = Static<typeof TaskSubmit>;

export function submitHandlers({ submits, tasks, jobs }: Desks, clock: Clock): Handlers<keyof typeof submitRoutes> {
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
    async listRoomTasks({ who, params, query }) {
      const { status: state, ...page } = query;
      return pageAnswer(
        await tasks.list(who, { ...page, room: params.room_id, ...(state && { state }) }),
        query,
        taskJson,
      );
    },
    async listTasks({ who, query }) {
      const { status: state, job, ...page } = query;
      if (job !== undefined) await jobs.get(who, globalRoom, job);
      const filter = { ...(state && { state }), ...(job !== undefined && { job }) };
      return pageAnswer(await tasks.list(who, { ...page, ...filter }), query, taskJson);
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
