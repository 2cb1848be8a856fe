// What can happen to a worker: the types of the lines of its history. Each is told to those who watch and counted, by
// whichever part of the server it was written.

export const workerEventTypes = [
  "worker.registered",
  /** It is there again: after it was unreachable, offline, deaf or blocked, which is told with it. */
  "worker.online",
  "worker.unreachable",
  "worker.offline",
  "worker.blocked",
  "worker.deaf",
  "worker.draining",
  "worker.paused",
  "worker.resumed",
  "worker.unregistered",
  "worker.deleted",
  "worker.spec_mismatch",
  "worker.alert",
] as const;

export type WorkerEventType = (typeof workerEventTypes)[number];

export function isWorkerEventType(type: string): type is WorkerEventType {
  return (workerEventTypes as readonly string[]).includes(type);
}
