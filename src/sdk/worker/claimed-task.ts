/** A task as a claim answers it, as far as a worker looks at it. */
export interface ClaimedTask {
  readonly id: string;
  readonly job_name: string;
  readonly room_id: string;
  readonly attempt: number;
  readonly status: string;
  readonly payload: unknown;
  readonly checkpoint: unknown;
  readonly lease_token: string;
}
