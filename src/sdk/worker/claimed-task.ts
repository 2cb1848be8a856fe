/** A task as a claim answers it, as far as a worker looks at it. */
export interface ClaimedTask {
  readonly id: string;
  readonly job_name: string;
  readonly room_id: string;
  readonly attempt: number;
  readonly status: string;
  readonly payload: unknown;
  readonly checkpoint: unknown;
  readonly parent_id?: string | null;
  readonly started_at?: string | null;
  /** Of a lease of its own. */
  readonly lease_until?: string | null;
  /** Absent where the attempt alone says which one is meant. */
  readonly lease_token?: string;
}

/** By which the server knows that this attempt is meant. */
export function proofOf({ attempt, lease_token }: ClaimedTask): { readonly [word: string]: string | number } {
  return lease_token === undefined ? { attempt } : { lease_token };
}
