// What the server says of acts, and how they are asked for.

/** What somebody did to the fleet or to a task. */
export interface AuditLine {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly token_id: string | null;
  /** As in `task.cancel`. */
  readonly action: string;
  readonly kind: string;
  readonly target: string;
  readonly note: string | null;
  readonly data: unknown;
}

/** Which acts a list is of. */
export interface AuditQuery {
  readonly actor?: string;
  readonly action?: string;
  readonly kind?: string;
  readonly target?: string;
  readonly since?: Date | string;
  readonly before?: Date | string;
}

export function auditWords({ since, before, ...words }: AuditQuery) {
  return { ...words, since: timeText(since), before: timeText(before) };
}

function timeText(time: Date | string | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time;
}
