import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Loading, Trouble } from "./empty.tsx";

/** What is shown while there is no answer, and when there will be none. */
export function Answered<T>(props: {
  readonly of: UseQueryResult<T, Error>;
  readonly children: (answer: T) => ReactNode;
  readonly rows?: number;
}) {
  const { data, error, refetch } = props.of;
  if (data !== undefined) return props.children(data);
  if (error !== null) return <Trouble error={error} again={() => void refetch()} />;
  return <Loading rows={props.rows ?? 4} />;
}
