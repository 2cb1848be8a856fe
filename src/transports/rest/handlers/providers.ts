import type { Json } from "../../../core/checksum.ts";
import { parseProviderName } from "../../../core/provider.ts";
import type { Desks } from "../../../engine/desks/desks.ts";
import type { ProviderRecord } from "../../../ports/records.ts";
import type { providerRoutes } from "../../../protocol/rest/provider-routes.ts";
import type { Handlers } from "../call.ts";
import { pageAnswer } from "../page-json.ts";
import { askedSeconds } from "../prefer.ts";
import { isoTime } from "../time.ts";

export interface ProviderWaits {
  /** Where the request does not say. */
  readonly defaultMs: number;
  readonly maxMs: number;
}

/** What others uploaded is shown, never run: not by a browser that was led here either. */
const shownOnly = { "x-content-type-options": "nosniff", "content-security-policy": "default-src 'none'; sandbox" };

export function providerHandlers({ providers }: Desks, waits: ProviderWaits): Handlers<keyof typeof providerRoutes> {
  return {
    async registerProvider({ who, params, body }) {
      const { category, name, schema, schema_, content_type = "application/json", worker_id: worker } = body;
      const { provider, created } = await providers.register(who, params.room_id, {
        ...{ category, name, contentType: content_type, worker: worker?.toLowerCase() ?? null },
        schema: (schema ?? schema_ ?? {}) as Json,
      });
      return { status: created ? 201 : 200, json: providerJson(provider) };
    },
    async listRoomProviders({ who, params, query }) {
      return pageAnswer(await providers.list(who, params.room_id, query), query, providerJson);
    },
    async getProvider({ who, params }) {
      return { status: 200, json: providerJson(await providers.get(who, params.room_id, params.provider_name)) };
    },
    async readProvider({ who, params, headers, search, signal }) {
      const asked = askedSeconds(headers.prefer);
      const waitMs = asked === null ? waits.defaultMs : Math.min(1_000 * asked, waits.maxMs);
      const { result, waited } = await providers.read(who, params.room_id, params.provider_name, {
        // Of a parameter that is there twice, the last one counts.
        params: new Map(new URLSearchParams(search)),
        waitMs,
        signal: signal(),
      });
      const applied = waited && asked !== null && waitMs > 0;
      return {
        status: 200,
        bytes: result.bytes,
        type: withCharset(result.contentType),
        headers: { ...shownOnly, ...(applied && { "preference-applied": `wait=${Math.floor(waitMs / 1_000)}` }) },
      };
    },
    listProviders: async ({ who, query }) => pageAnswer(await providers.list(who, null, query), query, providerJson),
    async deleteProvider({ who, params }) {
      await providers.remove(who, params.provider_id);
      return { status: 204 };
    },
    async uploadResult({ who, params, headers, bytes }) {
      await providers.upload(who, params.provider_id, headers["x-request-hash"], bytes);
      return { status: 204 };
    },
  };
}

function providerJson(provider: ProviderRecord): string {
  const { category, name } = parseProviderName(provider.name);
  const words = JSON.stringify({
    ...{ id: provider.id, room_id: provider.room, category, name, full_name: provider.name },
    worker_id: provider.worker,
    created_at: isoTime(provider.createdAt),
  });
  return `${words.slice(0, -1)},"schema":${provider.schema}}`;
}

function withCharset(type: string): string {
  return /^text\//i.test(type) && !/;\s*charset=/i.test(type) ? `${type}; charset=utf-8` : type;
}
