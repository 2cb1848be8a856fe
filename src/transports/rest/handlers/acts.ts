import { skipReasons } from "../../../core/skip-reason.ts";
import type { ActPlan } from "../../../engine/control/act-plan.ts";
import type { Desks } from "../../../engine/desks/desks.ts";
import type { actRoutes } from "../../../protocol/rest/act-routes.ts";
import type { Handlers } from "../call.ts";
import { pageAnswer } from "../page-json.ts";
import { isoTime } from "../time.ts";

export function actHandlers({ acts }: Desks): Handlers<keyof typeof actRoutes> {
  return {
    async beginAct({ who, body, prefix }) {
      const { act, q, note = null, expect = null } = body;
      const plan = await acts.begin(who, { act, q, note, expect });
      return { status: 202, json: actJson(plan), headers: { location: `${prefix}/acts/${plan.id}` } };
    },
    async listActs({ who, query }) {
      return pageAnswer(await acts.list(who, query), query, actJson);
    },
    async getAct({ who, params }) {
      return { status: 200, json: actJson(await acts.get(who, params.act_id)) };
    },
    async stopAct({ who, params }) {
      return { status: 200, json: actJson(await acts.stop(who, params.act_id)) };
    },
  };
}

function actJson(plan: ActPlan): string {
  const { id, act, q, note, by, state, matched, done, skipped, failed } = plan;
  return JSON.stringify({
    ...{ id, act, q, note, by: by.user, state, matched, done, skipped, failed },
    skips: Object.fromEntries(skipReasons.map((reason) => [reason, plan.skips[reason] ?? 0])),
    created_at: isoTime(plan.createdAt),
    finished_at: isoTime(plan.finishedAt),
    errors: plan.errors.map(({ taskId, code, detail }) => ({ task_id: taskId, code, detail })),
  });
}
