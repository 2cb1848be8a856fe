import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ask } from "../../api/client.ts";
import type { FieldError } from "../../api/problem.ts";
import type { Answer } from "../../api/routes.ts";
import type { Check, Payload } from "./verdict.ts";

type Job = Answer<"GET /rooms/{room_id}/jobs/{job_name+}">;

/** How long nothing is typed before the server is asked. */
const pauseMs = 250;

/** What the server would say of the payload: its own rules, not a copy of them. */
export function useCheck(job: Job, room: string, payload: Payload): Check {
  const settled = useSettled(payload);
  const { data, error } = useQuery({
    queryKey: ["check", job.full_name, job.checksum, room, settled],
    queryFn: ({ signal }) =>
      ask(
        {
          route: "POST /rooms/{room_id}/jobs/{job_name+}/check",
          params: { room_id: room, job_name: job.full_name },
          body: { payload: settled },
        },
        signal,
      ),
    refetchInterval: false,
    placeholderData: keepPreviousData,
  });
  return { errors: data?.errors ?? none, valid: data?.valid ?? null, problem: error };
}

const none: readonly FieldError[] = [];

function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
