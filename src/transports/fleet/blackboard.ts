import type { Static } from "typebox";
import type { Json } from "../../core/checksum.ts";
import type { Policy } from "../../core/policy.ts";
import type { BlockStart } from "../../engine/desks/fleet/fleet-blocks.ts";
import type { FleetDesk } from "../../engine/desks/fleet-desk.ts";
import type { blackboardRoutes } from "../../protocol/fleet/blackboard-routes.ts";
import type { Block } from "../../protocol/fleet/words.ts";
import { memberText } from "../../protocol/member-text.ts";
import { type HandlersOf, json } from "../rest/call.ts";
import { jobJson, jobsAnswer, polledJson } from "./job-json.ts";

export function blackboardHandlers(fleet: FleetDesk): HandlersOf<typeof blackboardRoutes> {
  return {
    async registerBlocks({ who, body }) {
      return json(200, await fleet.blocks.register(who, body.workerUuid, body.functionBlocks.map(blockOf)));
    },
    async pollJob({ who, body }) {
      const { jobs, reason } = await fleet.poll(who, body.workerUuid, body.max ?? 1);
      const why = reason === null ? "" : `,"reason":${JSON.stringify(reason)}`;
      return {
        status: 200,
        json: `{"jobs":[${jobs.map(polledJson).join(",")}]${why}}`,
        headers: { "leadhand-attempts": jobs.map(({ attempt }) => attempt).join(",") },
      };
    },
    async pushResult({ who, headers, body, text }) {
      const { workerUuid: worker, jobId: job, success, retryable = true, error, logs } = body;
      const jobId = await fleet.push(who, {
        ...{ worker, job, success, retryable, logs: logs ?? [], attempt: headers["leadhand-attempt"] ?? null },
        data: memberText(text, ["resultData"]) ?? null,
        error: { code: error?.code ?? null, message: error?.message ?? "" },
      });
      return json(200, { jobId, status: "pushed" });
    },
    listBlackboard: async ({ who, query }) => jobsAnswer(await fleet.jobs.list(who, query)),
    listActive: async ({ who }) => jobsAnswer(await fleet.jobs.active(who)),
    async createJob({ who, body, text }) {
      const { type = "EXECUTE", functionBlock: block, parameters: read, context } = body;
      const parameters = memberText(text, ["parameters"]) ?? "{}";
      return { status: 201, json: jobJson(await fleet.create(who, { type, block, parameters, read, context })) };
    },
  };
}

function blockOf(block: Static<typeof Block>): BlockStart {
  const { package: owner, name, version, queue, policy } = block;
  return {
    ...{ package: owner, name, version, runOn: block.runOn ?? null, fbType: block.fbType ?? null },
    ...{ isPure: block.isPure ?? false, isIdempotent: block.isIdempotent ?? false },
    parameters: (block.parameterJsonSchema ?? {}) as Json,
    result: (block.resultDataJsonSchema ?? null) as Json | null,
    ...(queue !== undefined && { queue }),
    ...(policy !== undefined && { policy: policy as Policy }),
  };
}
