import { Link, useParams } from "@tanstack/react-router";
import { isMissing } from "../../api/problem.ts";
import { useAsk } from "../../api/queries.ts";
import { TaskState } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { Empty, Loading, Trouble } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { ProgressBar } from "../../parts/progress.tsx";
import { AboutCard } from "./about-card.tsx";
import { attemptsOf } from "./attempts.ts";
import { AttemptsCard } from "./attempts-card.tsx";
import { ChildrenCard } from "./children-card.tsx";
import { ErrorCard } from "./error-card.tsx";
import { ExplainCard } from "./explain-card.tsx";
import { LogCard } from "./log-card.tsx";
import { PayloadCard } from "./payload-card.tsx";
import style from "./task.module.css";
import { TaskActions } from "./task-actions.tsx";
import { Timeline } from "./timeline.tsx";
import { useHistory } from "./use-history.ts";
import { isDeferred, isFinal, type Task, useTask, useTaskLog } from "./use-task.ts";

export function TaskPage() {
  const { id } = useParams({ from: "/tasks/$id" });
  const { data, error, refetch } = useTask(id);
  // The last answer stays, but not of a task that somebody has deleted since.
  const task = isMissing(error) ? undefined : data;
  const asked = { route: "GET /tasks/{task_id}", params: { task_id: id } } as const;
  return (
    <Page
      title={task === undefined ? "Task" : task.job_name}
      testId="task"
      head={task && <Head task={task} />}
      asked={asked}
      actions={task && <TaskActions task={task} />}
    >
      {task !== undefined && <TaskBody key={id} task={task} />}
      {task === undefined && error === null && <Loading rows={8} />}
      {task === undefined && error !== null && <Missing error={error} again={() => void refetch()} />}
    </Page>
  );
}

function Head({ task }: { readonly task: Task }) {
  return (
    <div className={style.head}>
      <div className={style.name}>
        <TaskState state={task.status} />
        <h1>
          <Link to="/jobs/$name" params={{ name: task.job_name }}>
            {task.job_name}
          </Link>
        </h1>
      </div>
      <div className={style.id}>
        <code data-testid="task-id">{task.id}</code>
        <CopyButton text={task.id} label="Copy id" />
      </div>
    </div>
  );
}

function TaskBody({ task }: { readonly task: Task }) {
  const history = useHistory(task.id);
  const final = isFinal(task);
  const log = useTaskLog(task.id, !final);
  const { data: job } = useAsk(
    { route: "GET /rooms/{room_id}/jobs/{job_name+}", params: { room_id: task.room_id, job_name: task.job_name } },
    { refetchInterval: false, staleTime: 60_000, placeholderData: () => undefined },
  );
  const attempts = attemptsOf(history.data?.events ?? []);
  const known = { task: task.id, checksum: job?.checksum };
  return (
    <div className={style.columns}>
      <div className={style.main}>
        {(task.status === "pending" || isDeferred(task)) && <ExplainCard id={task.id} />}
        <ProgressCard task={task} />
        <ErrorCard task={task} />
        {attempts.length > 1 && <AttemptsCard attempts={attempts} />}
        <PayloadCard title="Input" value={task.payload} schema={job?.schema} {...known} />
        {task.status === "completed" && (
          <PayloadCard title="Output" value={task.result} schema={job?.output} {...known} />
        )}
        <ChildrenCard task={task} />
        <LogCard log={log} live={!final} />
      </div>
      <div className={style.side}>
        <AboutCard task={task} />
        <Timeline history={history} />
      </div>
    </div>
  );
}

function ProgressCard({ task }: { readonly task: Task }) {
  const { children } = task;
  const total = children?.total ?? null;
  // Whoever waits for children, or did, has no other progress than theirs.
  const progress = isDeferred(task) || total !== null ? null : task.progress;
  if (progress === null && total === null) return null;
  return (
    <Card title="Progress">
      <div className={style.progress} data-testid="progress">
        {progress !== null && <ProgressBar label="Progress" {...progress} />}
        {children !== null && total !== null && (
          <ProgressBar
            label="Children that ended"
            current={children.done + children.failed}
            total={total}
            message={children.failed > 0 ? `children; ${children.failed} failed` : "children"}
          />
        )}
      </div>
    </Card>
  );
}

function Missing({ error, again }: { readonly error: unknown; readonly again: () => void }) {
  if (!isMissing(error)) return <Trouble error={error} again={again} />;
  return (
    <Empty title="There is no such task">
      It may have been deleted, or its time to be kept is over. <Link to="/tasks">All tasks</Link>
    </Empty>
  );
}
