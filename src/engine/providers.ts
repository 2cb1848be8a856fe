// Registering providers and letting them go. Provider and worker are one transaction, so whatever is refused leaves
// nothing behind. What a provider answered under its former registration is forgotten with the next one.

import type { Json } from "../core/checksum.ts";
import { checkJobName, fullName, type JobName } from "../core/name.ts";
import { Problem } from "../core/problem.ts";
import { checkContentType, checkProviderCategory } from "../core/provider.ts";
import type { AuditEntry, ProviderRecord } from "../ports/records.ts";
import { announceProviders } from "./announce.ts";
import type { Catalog } from "./catalog.ts";
import type { Surroundings } from "./surroundings.ts";
import { registeredEvent, registrant } from "./worker-record.ts";

export interface ProviderRequest extends JobName {
  readonly schema: Json;
  readonly contentType: string;
  /** Null: a new worker of the `rest` profile. */
  readonly worker: string | null;
  readonly owner: string;
  /** Whether the owner may have a provider that is another's by now. */
  readonly takesOver: boolean;
}

export interface Providers {
  register(request: ProviderRequest): Promise<{ readonly provider: ProviderRecord; readonly created: boolean }>;
  /** False when it is gone already, or another's by now. */
  remove(provider: ProviderRecord, audit?: AuditEntry): Promise<boolean>;
}

export interface ProviderOptions {
  readonly catalog: Catalog;
  /** Null: any. */
  readonly categories: readonly string[] | null;
}

export function providers(around: Surroundings, { catalog, categories }: ProviderOptions): Providers {
  const { store, clock, ids, bus, settings } = around;

  async function register(request: ProviderRequest) {
    const { room, contentType, owner } = request;
    checkJobName(request);
    checkProviderCategory(request.category, categories);
    checkContentType("/content_type", contentType);
    const name = fullName(request);
    const schema = JSON.stringify(request.schema);
    const [freshId, workerId] = [ids.next(), request.worker ?? ids.next()];
    const { answer } = await store.amend({ workers: [workerId], providers: [name] }, (view) => {
      const now = clock.now();
      const found = view.providers.get(name);
      const worker = registrant(view, { id: workerId, isNew: request.worker === null, owner }, settings.profiles, now);
      if (found !== undefined && found.owner !== owner && !request.takesOver) {
        throw new Problem("forbidden", `Provider '${name}' belongs to someone else`);
      }
      const { id, createdAt } = found ?? { id: freshId, createdAt: now };
      const provider = { id, name, room, schema, contentType, worker: workerId, owner, createdAt };
      const registered = { answer: { provider, created: found === undefined }, providers: [provider] };
      if (request.worker !== null) return registered;
      return { ...registered, workers: [worker], workerEvents: [registeredEvent(worker, now)] };
    });
    if (request.worker === null) {
      await catalog.refresh();
      bus.publish("catalog");
    }
    announceProviders(bus, [room]);
    return answer;
  }

  async function remove({ id, name, room, owner }: ProviderRecord, audit?: AuditEntry): Promise<boolean> {
    const { answer } = await store.amend({ providers: [name] }, (view) => {
      const found = view.providers.get(name);
      const isMeant = found?.id === id && found.owner === owner;
      if (!isMeant) return { answer: false };
      return { answer: true, providersGone: [id], audit: audit === undefined ? [] : [audit] };
    });
    if (answer) announceProviders(bus, [room]);
    return answer;
  }

  return { register, remove };
}
