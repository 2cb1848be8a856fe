// What people and tokens do to the fleet and to tasks: each act that the audit knows, and what it is done to. The guide
// explains each, docs/guides/explain.md.

export const auditActs = {
  "task.cancel": "task",
  "task.retry": "task",
  "task.delete": "task",
  "task.override": "task",
  "task.evict": "task",
  "tasks.cancel": "act",
  "tasks.retry": "act",
  "act.stop": "act",
  "worker.pause": "worker",
  "worker.resume": "worker",
  "worker.drain": "worker",
  "worker.concurrency": "worker",
  "worker.delete": "worker",
  "drain.begin": "drain",
  "drain.finish": "drain",
  "drain.stop": "drain",
  "job.register": "job",
  "job.pause": "job",
  "job.resume": "job",
  "queue.pause": "queue",
  "queue.resume": "queue",
  "spec.put": "job",
  "spec.delete": "job",
  "provider.delete": "provider",
  "token.create": "token",
  "token.revoke": "token",
} as const satisfies Record<string, string>;

export const auditKinds: readonly string[] = [...new Set(Object.values(auditActs))];

/** Whether there is such an act, and it is done to things of this kind. */
export function isAuditAct(action: string, kind: string): boolean {
  return (auditActs as Readonly<Record<string, string>>)[action] === kind;
}
