import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useAsk } from "../../api/queries.ts";
import type { Item } from "../../api/routes.ts";
import { useRefresh } from "../../live/use-live.ts";
import { TaskState } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Loading, Trouble } from "../../parts/empty.tsx";
import { count, duration, plural, shortId } from "../../parts/text.ts";
import { countAsk } from "../tasks/asks.ts";
import style from "./children.module.css";
import type { Task } from "./use-task.ts";

const pageRows = 50;

/** The family below a task: each one's children are asked for when somebody wants to see them. */
export function ChildrenCard({ task }: { readonly task: Task }) {
  useRefresh(["tasks"], ["GET /tasks/{task_id}/children", "GET /tasks/count"], 2_000);
  const { data } = useAsk({
    route: "GET /tasks/{task_id}/children",
    params: { task_id: task.id },
    query: { limit: 1 },
  });
  if (!data || (data.total === 0 && task.children === null)) return null;
  return (
    <Card title="Children" aside={<Tally task={task} />}>
      {data.total === 0 ? (
        <p className={style.none}>It has messages, and no tasks of their own.</p>
      ) : (
        <Branch parent={task.id} />
      )}
    </Card>
  );
}

function Tally({ task }: { readonly task: Task }) {
  const { data } = useAsk(countAsk(`parent:${task.id}`), { retry: false });
  const states = Object.entries(data?.by_state ?? {}).filter(([, number]) => number > 0);
  return (
    <Link to="/tasks" search={{ q: `parent:${task.id}` }} className={style.tally}>
      {states.map(([state, number]) => (
        <span key={state}>
          {count(number)}
          {data?.exact ? "" : "+"} {state}
        </span>
      ))}
      {states.length === 0 && "Show as a list"}
    </Link>
  );
}

function Branch({ parent }: { readonly parent: string }) {
  const [limit, setLimit] = useState(pageRows);
  const { data, error } = useAsk({
    route: "GET /tasks/{task_id}/children",
    params: { task_id: parent },
    query: { limit },
  });
  if (error !== null && !data) return <Trouble error={error} />;
  if (!data) return <Loading rows={2} />;
  const left = data.total - data.items.length;
  return (
    <ul className={style.branch} data-testid="children">
      {data.items.map((child) => (
        <Child key={child.id} task={child} />
      ))}
      {left > 0 && (
        <li>
          {limit < 500 ? (
            <Button small kind="quiet" onClick={() => setLimit(500)}>
              {plural(left, "more child", "more children")}
            </Button>
          ) : (
            <Link to="/tasks" search={{ q: `parent:${parent}` }}>
              {plural(left, "more child", "more children")}
            </Link>
          )}
        </li>
      )}
      {data.items.length === 0 && <li className={style.none}>No children.</li>}
    </ul>
  );
}

function Child({ task }: { readonly task: Item<"GET /tasks/{task_id}/children"> }) {
  const [open, setOpen] = useState(false);
  const { children, started_at, completed_at } = task;
  const mayHave = children !== null || task.status === "running";
  return (
    <li data-testid="child">
      <div className={style.child}>
        {mayHave ? (
          <button type="button" aria-expanded={open} aria-label="Its children" onClick={() => setOpen(!open)}>
            {open ? "▾" : "▸"}
          </button>
        ) : (
          <i />
        )}
        <span className={style.state}>
          <TaskState state={task.status} />
        </span>
        <Link to="/tasks/$id" params={{ id: task.id }} title={task.job_name}>
          {task.job_name.slice(task.job_name.lastIndexOf(":") + 1)} <code>{shortId(task.id)}</code>
        </Link>
        {children !== null && <span className={style.tally}>{childrenText(children)}</span>}
        {task.error !== null && <span className={style.wrong}>{task.error.slice(0, 200)}</span>}
        <span className={style.time}>
          {started_at !== null && completed_at !== null
            ? duration(Date.parse(completed_at) - Date.parse(started_at))
            : ""}
        </span>
      </div>
      {open && <Branch parent={task.id} />}
    </li>
  );
}

function childrenText({ total, done, failed }: NonNullable<Task["children"]>): string {
  const failures = failed > 0 ? `, ${failed} failed` : "";
  return total === null ? `${done} done${failures}` : `${done + failed} of ${total} children${failures}`;
}
