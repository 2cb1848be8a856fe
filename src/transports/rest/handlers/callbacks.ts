import { badField } from "../../../core/problem.ts";
import type { CallbackEnd, CallbackView } from "../../../engine/desks/callback-desk.ts";
import type { Desks } from "../../../engine/desks/desks.ts";
import { memberText } from "../../../protocol/member-text.ts";
import type { callbackRoutes } from "../../../protocol/rest/callback-routes.ts";
import { type Answer, type Call, type Handlers, json } from "../call.ts";
import { isoTime } from "../time.ts";

type Callback = Call<(typeof callbackRoutes)["callBack"]>;

export function callbackHandlers({ callbacks }: Desks): Handlers<keyof typeof callbackRoutes> {
  return {
    async callBack({ params, query, body, text }) {
      const { outcome, progress } = body;
      if ((outcome === undefined) === (progress === undefined)) throw badField("/outcome", "or /progress: one of them");
      const { task_id: task } = params;
      if (progress !== undefined) return answer(await callbacks.progress(task, query.attempt, progress));
      return answer(await callbacks.end(task, query.attempt, endOf(body, text)));
    },
  };
}

function endOf({ outcome, error }: Callback["body"], text: string): CallbackEnd {
  if (outcome === "succeeded") return { outcome, data: valueText(text, ["data"]) };
  if (error === undefined) throw badField("/error", "must say what failed");
  const { message, code = null, retryable = true } = error;
  return { outcome: "failed", error: { message, code, details: valueText(text, ["error", "details"]) }, retryable };
}

/** Null where it is absent or says null. */
function valueText(body: string, path: readonly string[]): string | null {
  const text = memberText(body, path);
  return text === undefined || text === "null" ? null : text;
}

function answer({ task, state, attempt, leasedUntil }: CallbackView): Answer {
  const until = leasedUntil === null ? null : isoTime(leasedUntil);
  return json(200, { task_id: task, status: state, attempt, lease_until: until });
}
