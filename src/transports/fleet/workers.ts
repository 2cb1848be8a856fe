import type { Static } from "typebox";
import type { Condition } from "../../engine/desks/conditions.ts";
import type { FleetDesk } from "../../engine/desks/fleet-desk.ts";
import type { WorkerView } from "../../engine/desks/worker-views.ts";
import type { PingWords, RegisterWords } from "../../protocol/fleet/words.ts";
import type { fleetWorkerRoutes } from "../../protocol/fleet/worker-routes.ts";
import { type Answer, type HandlersOf, json } from "../rest/call.ts";
import { toldCommand } from "../rest/control-json.ts";
import { isoTime } from "../rest/time.ts";
import { jobsAnswer } from "./job-json.ts";

export function fleetWorkerHandlers(fleet: FleetDesk): HandlersOf<typeof fleetWorkerRoutes> {
  return {
    async fleetRegister({ who, body }) {
      const { id } = await fleet.register(who, startOf(body));
      return json(201, { uuid: id, state: "ONLINE", heartbeatIntervalMs: fleet.pingMs });
    },
    async fleetPing({ who, params, body }) {
      const { uuid, lastPingAt, cancel, commands } = await fleet.ping(who, params.uuid, conditionOf(body));
      return json(200, {
        ...{ uuid, state: "ONLINE", lastPingAt: isoTime(lastPingAt) },
        ...(cancel.length > 0 && { cancel }),
        ...(commands.length > 0 && { commands: commands.map(toldCommand) }),
      });
    },
    async fleetUnregister({ who, params }) {
      const { id } = await fleet.unregister(who, params.uuid);
      return json(200, { uuid: id, state: "OFFLINE" });
    },
    async fleetWorkers({ who, query }) {
      return list(await fleet.list(who, { deleted: query.findDeleted === true }));
    },
    fleetOnline: async ({ who }) => list(await fleet.list(who, { state: "ONLINE" })),
    async fleetWorker({ who, params, query }) {
      return json(200, workerWords(await fleet.get(who, params.uuid, query.findDeleted === true)));
    },
    async fleetWorkerBlocks({ who, params, query }) {
      const blocks = await fleet.blocks.list(who, params.uuid, query.findDeleted === true);
      return json(
        200,
        blocks.map(({ parameters, result, ...words }) => ({
          ...words,
          parameterJsonSchema: JSON.parse(parameters),
          resultDataJsonSchema: result === null ? null : JSON.parse(result),
        })),
      );
    },
    async fleetWorkerJobs({ who, params, query }) {
      const { status, findDeleted } = query;
      return jobsAnswer(await fleet.jobsOf(who, params.uuid, { status, deletedToo: findDeleted === true }));
    },
    async fleetDelete({ who, params }) {
      await fleet.remove(who, params.uuid);
      return { status: 204 };
    },
    fleetCleanup: async ({ who, body }) => cleared(await fleet.cleanup(who, "expired", body.note ?? null)),
    fleetCleanupOffline: async ({ who, body }) => cleared(await fleet.cleanup(who, "offline", body.note ?? null)),
  };
}

/** What is not said stays as it was, where the worker was there before. */
function startOf({ uuid = null, sdkVersion = null, ipAddress = null, ...words }: Static<typeof RegisterWords>) {
  const { name, hostname, os, queues, labels, concurrency = null } = words;
  // Another program may come back under the same id, and know nothing of commands.
  const about = { version: sdkVersion, ipAddress, concurrency, commands: words.commands === true };
  return {
    ...{ uuid, about },
    ...(name !== undefined && { name }),
    ...(hostname !== undefined && { hostname }),
    ...(os !== undefined && { os }),
    ...(queues !== undefined && { queues }),
    ...(labels !== undefined && { labels }),
  };
}

function conditionOf({ status, blockedMs = null }: Static<typeof PingWords>): Condition | null {
  if (status == null && blockedMs === null) return null;
  const { cpuPercent = null, ramBytes = null, loopLagMs = null } = status ?? {};
  return { cpuPercent, ramBytes, loopLagMs, blockedMs };
}

function list(views: readonly WorkerView[]): Answer {
  return json(200, views.map(workerWords));
}

function workerWords(view: WorkerView) {
  const { worker, state } = view;
  const { version = null, ipAddress = null } = worker.about === null ? {} : JSON.parse(worker.about);
  const { lostAt, removedAt, seenAt, lostMs } = worker.session;
  return {
    ...{ uuid: worker.id, name: worker.name, ipAddress, hostname: worker.hostname, sdkVersion: version },
    ...{ profile: worker.profile, state, registeredAt: isoTime(worker.createdAt), lastPingAt: isoTime(seenAt) },
    // One that was silent for too long did not say goodbye.
    unregisteredAt: lostAt !== null && lostAt < seenAt + lostMs ? isoTime(lostAt) : null,
    deletedAt: isoTime(removedAt),
  };
}

function cleared(workers: readonly string[]): Answer {
  return json(200, { deleted: workers.length, workers });
}
