import { useAsk } from "../../api/queries.ts";
import { shortId } from "../../parts/text.ts";
import type { Vocabulary } from "./completion.ts";

/** Names for the query bar; asked for once somebody is there to type them. */
export function useVocabulary(wanted: boolean): Vocabulary {
  const options = { enabled: wanted, staleTime: 30_000, refetchInterval: false } as const;
  const all = { query: { limit: 500 } } as const;
  const jobs = useAsk({ route: "GET /jobs", ...all }, options).data?.items ?? [];
  const rooms = useAsk({ route: "GET /rooms", ...all }, options).data?.items ?? [];
  const workers = useAsk({ route: "GET /workers", ...all }, options).data?.items ?? [];
  const queues = useAsk({ route: "GET /queues", ...all }, options).data?.items ?? [];
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
