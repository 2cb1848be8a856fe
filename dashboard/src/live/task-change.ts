/** What is told of a task whenever it moves. */
export interface TaskChange {
  readonly id: string;
  readonly name: string;
  readonly room_id: string;
  readonly status: string;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly queue_position: number | null;
  readonly worker_id: string | null;
  readonly error: string | null;
  readonly version: number;
}
