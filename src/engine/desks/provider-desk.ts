// Providers: who may register, ask and answer.

import { isSuperuser, maySeeRoom, type Principal, requireRoom, requireWrite } from "../../core/access.ts";
import type { Json } from "../../core/checksum.ts";
import { checkRoom, globalRoom, internalRoom } from "../../core/name.ts";
import { Problem } from "../../core/problem.ts";
import { checkContentType, isProviderVisible, parseProviderName, providerQuestion } from "../../core/provider.ts";
import type { ProviderRecord } from "../../ports/records.ts";
import type { Page, PageQuery } from "../../ports/store-reads.ts";
import { auditEntry } from "../audit-entry.ts";
import type { Operations } from "../engine.ts";
import type { ProviderAnswer } from "../provider-reads.ts";
import type { Surroundings } from "../surroundings.ts";
import { pageOf } from "./page.ts";

export interface ProviderWords {
  readonly category: string;
  readonly name: string;
  readonly schema: Json;
  readonly contentType: string;
  /** Null: a new worker. */
  readonly worker: string | null;
}

export interface ProviderReadWords {
  readonly params: ReadonlyMap<string, string>;
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

export interface ProviderDesk {
  register(
    who: Principal,
    room: string,
    words: ProviderWords,
  ): Promise<{ readonly provider: ProviderRecord; readonly created: boolean }>;
  /** Those a room sees; of all rooms in the caller's sight when none is given. */
  list(who: Principal, room: string | null, page: PageQuery): Promise<Page<ProviderRecord>>;
  /** By its full name, from a room that sees it. */
  get(who: Principal, room: string, name: string): Promise<ProviderRecord>;
  /** Throws provider-timeout when there is no answer in time. */
  read(who: Principal, room: string, name: string, words: ProviderReadWords): Promise<ProviderAnswer>;
  upload(who: Principal, id: string, hash: string, bytes: Uint8Array): Promise<void>;
  remove(who: Principal, id: string): Promise<void>;
}

/** What the caller is told to wait before he asks again. */
const retryAfterSeconds = 2;

export function providerDesk(
  around: Surroundings,
  operations: Pick<Operations, "providers" | "readProvider" | "keepResult">,
): ProviderDesk {
  const { store } = around;

  async function get(who: Principal, room: string, name: string): Promise<ProviderRecord> {
    checkRoom(room);
    const { room: its } = parseProviderName(name);
    const isInSight = isProviderVisible(its, room) && maySeeRoom(who, its);
    const found = isInSight ? await store.read("provider", { name }) : null;
    if (found === null) throw new Problem("provider-not-found", `Provider '${name}' does not exist`);
    return found;
  }

  /** The caller's own, or anyone's to a superuser. */
  async function owned(who: Principal, id: string): Promise<ProviderRecord> {
    requireWrite(who);
    const found = await store.read("provider", { id });
    if (found === null || !maySeeRoom(who, found.room)) throw unknownProvider(id);
    if (found.owner !== who.user && !isSuperuser(who)) {
      throw new Problem("forbidden", `Provider ${id} belongs to someone else`);
    }
    requireRoom(who, found.room);
    return found;
  }

  return {
    get,
    async register(who, room, { category, name, ...words }) {
      checkRoom(room);
      checkContentType("/content_type", words.contentType);
      requireWrite(who);
      if ((room === globalRoom || room === internalRoom) && !isSuperuser(who)) {
        throw new Problem("forbidden", `Only a superuser registers providers in ${room}`);
      }
      requireRoom(who, room);
      const whose = { owner: who.user, takesOver: isSuperuser(who) };
      return operations.providers.register({ ...words, ...whose, room, category, name });
    },
    async list(who, room, page) {
      if (room === null) {
        const rooms = who.rooms === null ? null : [...who.rooms, globalRoom, internalRoom];
        return store.read("providers", { rooms, ...page });
      }
      checkRoom(room);
      if (!maySeeRoom(who, room)) return pageOf([], page);
      return store.read("providers", { rooms: [room, globalRoom], ...page });
    },
    async read(who, room, name, { params, waitMs, signal }) {
      const provider = await get(who, room, name);
      const answer = await operations.readProvider(provider, providerQuestion(params), waitMs, signal);
      if (answer !== null) return answer;
      if (signal?.reason === "stopping") throw new Problem("stopping", "The server is stopping");
      const detail = `Provider '${name}' did not answer in time`;
      throw new Problem("provider-timeout", detail, { retryAfterSeconds });
    },
    async upload(who, id, hash, bytes) {
      await operations.keepResult(await owned(who, id), hash, bytes);
    },
    async remove(who, id) {
      const provider = await owned(who, id);
      const { name, owner } = provider;
      const act = { action: "provider.delete", kind: "provider", target: name, data: { id, owner } };
      if (!(await operations.providers.remove(provider, auditEntry(around, who, act)))) throw unknownProvider(id);
    },
  };
}

function unknownProvider(id: string): Problem {
  return new Problem("provider-not-found", `Provider ${id} does not exist`);
}
