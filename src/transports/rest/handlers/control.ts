import type { Desks } from "../../../engine/desks/desks.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { controlRoutes } from "../../../protocol/rest/control-routes.ts";
import type { pauseRoutes } from "../../../protocol/rest/pause-routes.ts";
import { type Handlers, json } from "../call.ts";
import { commandWords, labelOf, msOf, namedPause, pauseWords, planWords, untilOf } from "../control-json.ts";
import { pageAnswer } from "../page-json.ts";
import { taskJson } from "../task-json.ts";
import { workerDetailWords } from "../worker-json.ts";

export function controlHandlers({ control }: Desks, clock: Clock): Handlers<keyof typeof controlRoutes> {
  return {
    async pauseWorker({ who, params, body }) {
      const words = { note: body.note ?? null, until: untilOf(body, clock.now()) };
      return json(200, workerDetailWords(await control.pause(who, params.worker_id, words)));
    },
    async resumeWorker({ who, params, body }) {
      return json(200, workerDetailWords(await control.resume(who, params.worker_id, { note: body.note ?? null })));
    },
    async drainWorker({ who, params, body: { note = null, deadline_seconds: seconds } }) {
      const words = { note, deadlineMs: msOf(seconds) };
      return json(200, workerDetailWords(await control.drain(who, params.worker_id, words)));
    },
    async limitWorker({ who, params, body: { note = null, value } }) {
      return json(200, workerDetailWords(await control.limit(who, params.worker_id, { note, value })));
    },
    async evictTask({ who, params, body }) {
      const view = await control.evict(who, params.task_id, { note: body.note ?? null });
      return { status: 200, json: taskJson(view) };
    },
    async drainWorkers({ who, body: { note = null, label, at_a_time: atATime, deadline_seconds: seconds } }) {
      const words = { note, atATime, deadlineMs: msOf(seconds), label: labelOf(label, "/label") };
      return json(201, planWords(await control.drainMany(who, words)));
    },
    listDrains: async ({ who }) => json(200, { items: (await control.drains(who)).map(planWords) }),
    async stopDrain({ who, params }) {
      return json(200, planWords(await control.stopDrain(who, params.drain_id, { note: null })));
    },
    async listWorkerCommands({ who, params, query }) {
      return pageAnswer(await control.commands(who, params.worker_id, query), query, (command) =>
        JSON.stringify(commandWords(command)),
      );
    },
    async ackCommand({ who, params, body: { ok = true, detail = null } }) {
      const acked = await control.acknowledge(who, params.worker_id, params.command_id, { ok, detail });
      return json(200, commandWords(acked));
    },
  };
}

export function pauseHandlers({ pauses }: Desks, clock: Clock): Handlers<keyof typeof pauseRoutes> {
  return {
    async pauseJob({ who, params, body }) {
      const words = { note: body.note ?? null, until: untilOf(body, clock.now()) };
      return json(200, namedPause(await pauses.pause(who, "job", params.job_name, words)));
    },
    async resumeJob({ who, params, body }) {
      const ended = await pauses.resume(who, "job", params.job_name, { note: body.note ?? null });
      return json(200, { ended: namedPause(ended) });
    },
    async pauseQueue({ who, params, body }) {
      const words = { note: body.note ?? null, until: untilOf(body, clock.now()) };
      return json(200, namedPause(await pauses.pause(who, "queue", params.queue, words)));
    },
    async resumeQueue({ who, params, body }) {
      const ended = await pauses.resume(who, "queue", params.queue, { note: body.note ?? null });
      return json(200, { ended: namedPause(ended) });
    },
    async listQueues({ who, query }) {
      return pageAnswer(await pauses.queues(who, query), query, ({ pause, ...queue }) =>
        JSON.stringify({ ...queue, pause: pauseWords(pause) }),
      );
    },
    async listPauses({ who, query }) {
      return pageAnswer(pauses.pauses(who, query), query, (pause) => JSON.stringify(namedPause(pause)));
    },
  };
}
