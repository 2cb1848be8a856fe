import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ask } from "../../api/client.ts";
import { type FieldError, tellProblem } from "../../api/problem.ts";
import type { Answer } from "../../api/routes.ts";
import type { Payload } from "./payload-form.tsx";

type Job = Answer<"GET /rooms/{room_id}/jobs/{job_name+}">;

/** How long nothing is typed before the server is asked. */
const pauseMs = 250;

/** What the server would say of the payload: its own rules, not a copy of them. */
export function useCheck(job: Job, room: string, payload: Payload): { errors: readonly FieldError[]; told: string } {
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
  if (error !== null) return { errors: [], told: tellProblem(error) };
  const errors = data?.errors ?? [];
  if (data === undefined) return { errors, told: "" };
  return { errors, told: data.valid ? "The server would accept it" : refusalOf(errors[0]) };
}

/** With the name of the field: here it does not stand below it. */
function refusalOf(error: FieldError | undefined): string {
  if (error === undefined) return "It would be refused";
  const field = error.pointer.split("/").at(-1) ?? "";
  return field === "" || error.detail.includes(field) ? error.detail : `${field} ${error.detail}`;
}

function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
