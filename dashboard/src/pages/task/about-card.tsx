import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useAsk } from "../../api/queries.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Card, Facts } from "../../parts/card.tsx";
import { duration, shortId } from "../../parts/text.ts";
import { Ago, useNow } from "../../parts/time.tsx";
import { quoted } from "../tasks/query-terms.ts";
import { termWords } from "./like-task.ts";
import { isFinal, type Task } from "./use-task.ts";
import { WorkerLink } from "./worker-link.tsx";

export function AboutCard({ task }: { readonly task: Task }) {
  const { room_id, queue, worker_id, parent_id, retry_of } = task;
  const retries = useRetries(task);
  const facts: readonly (readonly [string, ReactNode] | false)[] = [
    ["Room", <Search key="room" query={`room:${quoted(room_id)}`} text={room_id} />],
    ["Queue", <Search key="queue" query={`queue:${quoted(queue)}`} text={queue} />],
    ["Priority", task.priority],
    ...termWords(task),
    worker_id !== null && ["Worker", <WorkerLink key="worker" id={worker_id} />],
    [
      "Attempt",
      task.attempt === 0 ? "none yet" : task.losses === 0 ? task.attempt : `${task.attempt}, lost ${task.losses}`,
    ],
    ["Created", <Ago key="created" at={task.created_at} />],
    task.run_at !== null && ["Not before", <Ago key="run" at={task.run_at} />],
    task.started_at !== null && ["Started", <Ago key="started" at={task.started_at} />],
    task.completed_at !== null && ["Ended", <Ago key="ended" at={task.completed_at} />],
    task.started_at !== null && [task.completed_at === null ? "Running for" : "Ran", <Ran key="ran" task={task} />],
    parent_id !== null && ["Parent", <TaskLink key="parent" id={parent_id} />],
    retry_of !== null && ["Retry of", <TaskLink key="retry" id={retry_of} />],
    retries.length > 0 && ["Retried as", <Retries key="again" of={task.id} ids={retries} />],
  ];
  return (
    <Card title="About">
      <Facts facts={facts.filter((fact) => fact !== false)} />
    </Card>
  );
}

/** More than these are a list of their own. */
const retriesMax = 3;

/** The tasks that run it again, newest first. */
function useRetries(task: Task): readonly string[] {
  const query = { q: `retry_of:${task.id}`, limit: retriesMax + 1, payloads: false };
  // Asked for anew each time: whoever has just retried it and comes back looks for that very task.
  const options = { enabled: isFinal(task), staleTime: 0, placeholderData: () => undefined };
  const { data } = useAsk({ route: "GET /tasks", query }, options);
  useRefresh(["tasks"], ["GET /tasks"], 5_000);
  return data?.items.map(({ id }) => id) ?? [];
}

function Retries({ of, ids }: { readonly of: string; readonly ids: readonly string[] }) {
  return (
    <>
      {ids.slice(0, retriesMax).map((id, at) => (
        <span key={id}>
          {at > 0 && ", "}
          <TaskLink id={id} />
        </span>
      ))}
      {ids.length > retriesMax && (
        <>
          {" "}
          <Search query={`retry_of:${of}`} text="and more" />
        </>
      )}
    </>
  );
}

function Ran({ task }: { readonly task: Task }) {
  const now = useNow();
  if (task.started_at === null) return "–";
  const end = task.completed_at === null ? now : Date.parse(task.completed_at);
  return duration(Math.max(0, end - Date.parse(task.started_at)));
}

function TaskLink({ id }: { readonly id: string }) {
  return (
    <Link to="/tasks/$id" params={{ id }} title={id}>
      <code>{shortId(id)}</code>
    </Link>
  );
}

function Search({ query, text }: { readonly query: string; readonly text: string }) {
  return (
    <Link to="/tasks" search={{ q: query }}>
      {text}
    </Link>
  );
}
