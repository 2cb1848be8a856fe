// Tasks as the fleet's document shows them: its jobs.

import type { Principal } from "../../../core/access.ts";
import {
  type BlockJobType,
  type BlockStatus,
  blockJobTypes,
  blockOf,
  blockStatus,
  blockStatuses,
  type FailureReason,
  failureReason,
  statesOf,
} from "../../../core/block.ts";
import { globalRoom, internalRoom } from "../../../core/name.ts";
import { Problem } from "../../../core/problem.ts";
import { finalStates, openStates, type TaskState } from "../../../core/task-row.ts";
import type { ClaimedTask, TaskRecord } from "../../../ports/records.ts";
import type { TaskFilter } from "../../../ports/store-reads.ts";
import type { Catalog } from "../../catalog.ts";
import type { Surroundings } from "../../surroundings.ts";

export interface PolledView {
  readonly id: string;
  readonly type: BlockJobType;
  readonly functionBlock: string;
  /** JSON texts. */
  readonly parameters: string;
  readonly context: string;
  readonly attempt: number;
}

export interface FleetJobView extends Omit<PolledView, "attempt"> {
  readonly status: BlockStatus;
  readonly worker: string | null;
  readonly createdAt: number;
  readonly polledAt: number | null;
  readonly pushedAt: number | null;
  readonly result: FleetResult | null;
  readonly failureReason: FailureReason | null;
}

export interface FleetResult {
  readonly success: boolean;
  /** JSON text. */
  readonly data: string | null;
  readonly error: { readonly code: string | null; readonly message: string } | null;
}

export interface JobQuery {
  readonly status?: string | undefined;
  readonly worker?: string;
}

export interface FleetJobs {
  polled(task: ClaimedTask): PolledView;
  view(task: TaskRecord): FleetJobView;
  /** Newest first, so many at most. Without a worker: of blocks alone. Throws invalid-status. */
  list(who: Principal, query: JobQuery): Promise<readonly FleetJobView[]>;
  active(who: Principal): Promise<readonly FleetJobView[]>;
}

/** How many are listed, how many are looked at for that, and how long their texts may be in all. */
const listMax = 500;
const lookMax = 5_000;
const lengthMax = 32 * 2 ** 20;
const sliceMax = 100;

export function fleetJobs({ store }: Pick<Surroundings, "store">, catalog: Catalog): FleetJobs {
  function polled({ card, row, payload }: ClaimedTask): PolledView {
    const job = catalog.lane(card.lane)?.job ?? "";
    const { type, context } = card.policy.words ?? {};
    return {
      id: card.id,
      type: blockJobTypes.find((each) => each === type) ?? "EXECUTE",
      functionBlock: blockIdOf(job),
      ...{ parameters: payload, context: JSON.stringify(context ?? {}), attempt: row.attempt },
    };
  }

  function view(task: TaskRecord): FleetJobView {
    const { card, row, outcome } = task;
    const { attempt: _, ...words } = polled(task);
    const status = blockStatus(row, outcome);
    return {
      ...{ ...words, status, worker: row.worker, createdAt: card.createdAt, polledAt: row.claimedAt },
      pushedAt: status === "pushed" ? (outcome?.finishedAt ?? null) : null,
      result: status === "pushed" ? resultOf(task) : null,
      failureReason: outcome === null ? null : failureReason(row, outcome),
    };
  }

  async function inState(filter: TaskFilter, wanted: (view: FleetJobView) => boolean): Promise<FleetJobView[]> {
    const found: FleetJobView[] = [];
    let length = 0;
    for (let offset = 0; offset < lookMax && found.length < listMax && length < lengthMax; offset += sliceMax) {
      const { items } = await store.read("taskList", { ...filter, limit: sliceMax, offset });
      found.push(...items.map(view).filter(wanted));
      length += items.reduce((sum, { payload, outcome }) => sum + payload.length + (outcome?.result?.length ?? 0), 0);
      if (items.length < sliceMax) break;
    }
    return found;
  }

  async function read(who: Principal, { worker, ...query }: { statuses: readonly BlockStatus[]; worker?: string }) {
    const filter: TaskFilter = {
      ...(worker === undefined ? { lanes: blockLanes() } : { worker }),
      ...(who.rooms !== null && { rooms: [...who.rooms, globalRoom, internalRoom] }),
    };
    if (filter.lanes?.length === 0) return [];
    const wanted = ({ status }: FleetJobView): boolean => query.statuses.includes(status);
    const byId = new Map<string, FleetJobView>();
    for (const state of looksFor(query.statuses)) {
      for (const each of await inState({ ...filter, ...(state && { state }) }, wanted)) byId.set(each.id, each);
    }
    return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, listMax);
  }

  function blockLanes(): number[] {
    return [...catalog.lanes()].filter(({ job }) => blockOf(job) !== null).map(({ id }) => id);
  }

  return {
    ...{ polled, view },
    async list(who, { status, ...query }) {
      const known = blockStatuses.find((each) => each === status);
      if (status !== undefined && known === undefined) {
        throw new Problem("invalid-status", `Status '${status}' is not one of ${blockStatuses.join(", ")}`);
      }
      return read(who, { ...query, statuses: known === undefined ? blockStatuses : [known] });
    },
    active: (who) => read(who, { statuses: ["pending", "polled"] }),
  };
}

/**
 * The states to look at, one after the other; null is all of them in one look. A task that moves on in between is met by the
 * next look, for they go the way that tasks go; one that was given back meanwhile, by the last.
 */
function looksFor(statuses: readonly BlockStatus[]): readonly (TaskState | null)[] {
  if (blockStatuses.every((status) => statuses.includes(status))) return [null];
  const asked = new Set(statuses.flatMap((status): readonly TaskState[] => statesOf[status]));
  const looks = [...openStates, ...finalStates].filter((state) => asked.has(state));
  return looks[0] === "pending" && looks.length > 1 ? [...looks, "pending"] : looks;
}

/** Jobs that are no blocks are shown by their full name. */
function blockIdOf(job: string): string {
  return job === "" ? "" : (blockOf(job) ?? job);
}

function resultOf({ outcome }: TaskRecord): FleetResult | null {
  if (outcome === null) return null;
  const { state, result, error } = outcome;
  if (state === "completed") return { success: true, data: result, error: null };
  return {
    success: false,
    data: error?.details ?? null,
    error: error && { code: error.code, message: error.message },
  };
}
