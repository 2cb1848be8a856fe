import type { Static } from "typebox";
import type { Json } from "../../../core/checksum.ts";
import type { Policy } from "../../../core/policy.ts";
import { badField } from "../../../core/problem.ts";
import { shownPush } from "../../../core/push.ts";
import type { Desks } from "../../../engine/desks/desks.ts";
import type { PutSpec, SpecView, SpecWords } from "../../../engine/desks/spec-desk.ts";
import type { JobVersion } from "../../../engine/desks/version-desk.ts";
import type { SpecRequest } from "../../../engine/specs.ts";
import type { SpecBody, SpecConditions } from "../../../protocol/rest/spec-bodies.ts";
import type { specRoutes } from "../../../protocol/rest/spec-routes.ts";
import { type Handlers, json } from "../call.ts";
import { pageAnswer } from "../page-json.ts";
import { isoTime } from "../time.ts";

export function specHandlers({ specs, versions }: Desks): Handlers<keyof typeof specRoutes> {
  return {
    async putSpec({ who, params, headers, body }) {
      const put = await specs.put(who, wordsOf(params.spec_id, body), expected(headers));
      return json(put.created ? 201 : 200, putWords(put), { etag: etagOf(put) });
    },
    async putSpecs({ who, body }) {
      const all = await specs.putAll(
        who,
        body.specs.map(({ id, ...words }) => wordsOf(id, words)),
      );
      return json(200, { items: all.map(putWords) });
    },
    async diffSpec({ who, body }) {
      const { registered, ...compared } = await specs.compare(who, wordsOf(body.id, body));
      return json(200, { ...compared, registered_checksum: registered });
    },
    async listSpecs({ who, query }) {
      const { room = null, ...page } = query;
      return pageAnswer(await specs.list(who, room, page), query, specJson);
    },
    async getSpec({ who, params }) {
      const spec = await specs.get(who, params.spec_id);
      return { status: 200, json: specJson(spec), headers: { etag: etagOf(spec) } };
    },
    async deleteSpec({ who, params }) {
      await specs.remove(who, params.spec_id);
      return { status: 204 };
    },
    async getJobVersions({ who, params }) {
      const { job, reason, versions: all } = await versions.versions(who, params.job_name);
      return json(200, {
        ...{ job: job.name, checksum: job.checksum, since: isoTime(job.checksumAt), runnable: reason === null, reason },
        versions: all.map(versionWords),
      });
    },
  };
}

function wordsOf(id: string, { schema, output, queue, labels, push, policy }: Static<typeof SpecBody>): SpecWords {
  return {
    id,
    schema: schema as Json,
    ...(output !== undefined && { output: output as Json }),
    ...(queue !== undefined && { queue }),
    ...(labels !== undefined && { labels }),
    ...(push !== undefined && { push: push as Json }),
    ...(policy !== undefined && { policy: policy as Policy }),
  };
}

function expected(headers: Static<typeof SpecConditions>): SpecRequest["expects"] {
  const { "if-none-match": none, "if-match": match } = headers;
  if (none !== undefined && match !== undefined)
    throw badField("/header/if-match", "and if-none-match exclude each other");
  if (none !== undefined && none !== "*") throw badField("/header/if-none-match", "is not *");
  if (none === "*") return "absent";
  if (match === undefined || match === "*") return match === "*" ? "present" : undefined;
  const checksum = /^"([^"]+)"$/.exec(match)?.[1];
  if (checksum === undefined) throw badField("/header/if-match", "is neither * nor one checksum in quotes");
  return { checksum };
}

function putWords({ id, job, created, change }: PutSpec) {
  return { id, job: job.name, checksum: job.checksum, created, change };
}

function etagOf({ job }: SpecView): string {
  return `"${job.checksum}"`;
}

function specJson({ id, job }: SpecView): string {
  const { schema, output, queue, labels, policy, push } = job.spec;
  const words = JSON.stringify({
    ...{ id, job: job.name, checksum: job.checksum, source: job.source, queue, labels, policy },
    ...{ created_at: isoTime(job.createdAt), since: isoTime(job.checksumAt) },
  });
  return `${words.slice(0, -1)},"schema":${schema},"output":${output ?? "null"},"push":${push === null ? "null" : JSON.stringify(shownPush(push))}}`;
}

function versionWords({ checksum, isCurrent, workerCount, workers }: JobVersion) {
  return {
    ...{ checksum, matching: isCurrent, worker_count: workerCount },
    workers: workers.map(({ worker: { id, name, hostname, profile, draining }, state }) => {
      return { id, name, hostname, state, profile, draining };
    }),
  };
}
