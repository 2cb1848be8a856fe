import { useAll } from "../../api/all-pages.ts";
import { shortId } from "../../parts/text.ts";
import type { Vocabulary } from "./completion.ts";

/** Names for the query bar; asked for once somebody is there to type them. */
export function useVocabulary(wanted: boolean): Vocabulary {
  const options = { enabled: wanted, refetchInterval: false } as const;
  const jobs = useAll("GET /jobs", options) ?? [];
  const rooms = useAll("GET /rooms", options) ?? [];
  const workers = useAll("GET /workers", options) ?? [];
  const queues = useAll("GET /queues", options) ?? [];
  return {
    job: jobs.map(({ full_name }) => ({ value: full_name })),
    room: rooms.map(({ room_id }) => ({ value: room_id })),
    worker: workers.map(({ id, name, state }) => ({
      value: name ?? id,
      hint: `${shortId(id)} ${state.toLowerCase()}`,
    })),
    queue: queues.map(({ name, waiting }) => ({ value: name, hint: `${waiting} waiting` })),
  };
}
