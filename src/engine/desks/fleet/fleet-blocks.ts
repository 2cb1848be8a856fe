// Function blocks: jobs that workers of the fleet bring, and that stay when their workers go.

import { type Principal, requireJob } from "../../../core/access.ts";
import { type BlockName, blockId, blockJob, blockName, blockOf, checkBlockName } from "../../../core/block.ts";
import type { Json } from "../../../core/checksum.ts";
import type { Policy } from "../../../core/policy.ts";
import { Problem } from "../../../core/problem.ts";
import type { Schemas } from "../../../ports/schemas.ts";
import { auditEntry } from "../../audit-entry.ts";
import type { Operations } from "../../engine.ts";
import type { JobRequest } from "../../jobs.ts";
import type { Surroundings } from "../../surroundings.ts";
import { aboutOf, aboutText, type BlockWords } from "./fleet-about.ts";
import { inTheirWords } from "./fleet-problems.ts";
import type { FleetSight } from "./fleet-sight.ts";

export interface BlockStart extends BlockName, BlockWords {
  readonly parameters: Json;
  readonly result: Json | null;
  readonly queue?: string | null;
  readonly policy?: Policy;
}

export interface BlocksTaken {
  readonly registered: readonly string[];
  readonly rejected: readonly { readonly id: string; readonly reason: string }[];
}

export interface FleetBlock extends BlockName, BlockWords {
  readonly id: string;
  /** JSON texts; null where any result will do. */
  readonly parameters: string;
  readonly result: string | null;
}

export interface FleetBlocks {
  /** Each for itself: one that is rejected takes no other with it. */
  register(who: Principal, uuid: string, blocks: readonly BlockStart[]): Promise<BlocksTaken>;
  list(who: Principal, uuid: string, deletedToo: boolean): Promise<readonly FleetBlock[]>;
}

export interface FleetBlocksParts {
  readonly operations: Pick<Operations, "jobs" | "workers" | "catalog">;
  readonly schemas: Schemas;
  readonly sight: FleetSight;
}

const nothingSaid: BlockWords = { runOn: null, fbType: null, isPure: false, isIdempotent: false };

export function fleetBlocks(around: Surroundings, { operations, schemas, sight }: FleetBlocksParts): FleetBlocks {
  const { catalog } = operations;

  async function registerOne(who: Principal, worker: string, block: BlockStart): Promise<void> {
    const { parameters: schema, result, queue, policy } = block;
    checkBlockName(block);
    const name = blockJob(blockId(block));
    requireJob(who, name);
    schemas.check(JSON.stringify(schema));
    if (result !== null) schemas.check(JSON.stringify(result));
    const request: JobRequest = {
      ...{ name, schema, source: "explicit", replace: false, worker: { id: worker, owner: who.user } },
      ...(result !== null && { output: result }),
      ...(queue !== undefined && { queue }),
      ...(policy !== undefined && { policy }),
    };
    await operations.jobs.register(request, ({ checksum }) =>
      auditEntry(around, who, { action: "job.register", kind: "job", target: name, data: { checksum } }),
    );
  }

  async function register(who: Principal, uuid: string, blocks: readonly BlockStart[]): Promise<BlocksTaken> {
    const worker = await sight.owned(who, uuid);
    const registered = new Map<string, BlockWords>();
    const rejected: { id: string; reason: string }[] = [];
    for (const block of blocks) {
      const id = blockId(block);
      try {
        await registerOne(who, worker.id, block);
        const { runOn, fbType, isPure, isIdempotent } = block;
        registered.set(id, { runOn, fbType, isPure, isIdempotent });
      } catch (error) {
        const theirs = inTheirWords(error);
        if (!(theirs instanceof Problem) || !isAboutBlock(theirs)) throw theirs;
        rejected.push({ id, reason: theirs.message });
      }
    }
    if (registered.size > 0) {
      const before = aboutOf(worker);
      const all = { ...before.blocks, ...Object.fromEntries(registered) };
      await operations.workers.change(worker.id, { about: aboutText(before, { blocks: all }) });
    }
    return { registered: [...registered.keys()], rejected };
  }

  return {
    register,
    async list(who, uuid, deletedToo) {
      const { worker } = await sight.seen(who, uuid, deletedToo);
      const { blocks = {} } = aboutOf(worker);
      return [...worker.jobs.keys()].sort().flatMap((name): FleetBlock[] => {
        const id = blockOf(name);
        const job = catalog.job(name);
        if (id === null || job === undefined) return [];
        const words = { ...blockName(id), ...nothingSaid, ...blocks[id] };
        return [{ id, ...words, parameters: job.spec.schema, result: job.spec.output }];
      });
    },
  };
}

/** What is wrong with one block; what is wrong with the server, or the worker, concerns all of them. */
function isAboutBlock({ code }: Problem): boolean {
  return ["schema-conflict", "invalid-request", "forbidden", "invalid-category", "payload-too-large"].includes(code);
}
