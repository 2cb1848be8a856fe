import { Link } from "@tanstack/react-router";
import { useAsk } from "../../api/queries.ts";
import type { Item, Query } from "../../api/routes.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Answered } from "../../parts/answered.tsx";
import { TaskState } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { useConfirm } from "../../parts/confirm.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Choice } from "../../parts/field.tsx";
import { JobName } from "../../parts/job-name.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { count, duration, shortId } from "../../parts/text.ts";
import { Ago, useNow } from "../../parts/time.tsx";
import { useAct } from "../../parts/toast.tsx";
import { useSearchText } from "../../shell/search.ts";
import type { WorkerDetail } from "./worker-page.tsx";

type Task = Item<"GET /workers/{worker_id}/tasks">;

const views = ["now", "recent", "failed"] as const;
type View = (typeof views)[number];

/** What it holds now, and what it did before. */
export function Tasks({ worker: { id, may } }: { readonly worker: WorkerDetail }) {
  const [said, setView] = useSearchText("tasks", "now");
  const view = views.find((known) => known === said) ?? "now";
  useRefresh(["tasks"], ["GET /workers/{worker_id}/tasks"]);
  return (
    <Card
      flush
      title="Tasks"
      aside={<Choice label="Which tasks" value={view} options={views} onChange={(next) => setView(next)} />}
    >
      {view === "now" ? <Held id={id} mayTake={may.operate} /> : <Past id={id} view={view} />}
    </Card>
  );
}

function useTasks(id: string, query: Query<"GET /workers/{worker_id}/tasks">) {
  return useAsk({ route: "GET /workers/{worker_id}/tasks", params: { worker_id: id }, query });
}

/** More than these at a time are counted above. */
const heldMax = 100;

function Held({ id, mayTake }: { readonly id: string; readonly mayTake: boolean }) {
  const claimed = useTasks(id, { status: "claimed", limit: heldMax });
  const running = useTasks(id, { status: "running", limit: heldMax });
  return (
    <Answered of={running} rows={3}>
      {({ items }) => {
        const held = [...(claimed.data?.items ?? []), ...items];
        if (held.length > 0)
          return <List tasks={held} columns={mayTake ? [...heldColumns, takeColumn] : heldColumns} />;
        return <Empty title="It holds nothing">Tasks that it runs appear here while they run.</Empty>;
      }}
    </Answered>
  );
}

function Past({ id, view }: { readonly id: string; readonly view: View }) {
  const tasks = useTasks(id, view === "failed" ? { status: "failed", limit: 20 } : { limit: 20 });
  return (
    <Answered of={tasks} rows={3}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title={view === "failed" ? "Nothing has failed here" : "It has done nothing yet"} />
        ) : (
          <List tasks={items} columns={pastColumns} />
        )
      }
    </Answered>
  );
}

function List({ tasks, columns }: { readonly tasks: readonly Task[]; readonly columns: readonly Column<Task>[] }) {
  return (
    <Table
      label="Tasks of this worker"
      testId="worker-tasks"
      rows={tasks}
      columns={columns}
      keyOf={({ id: task }) => task}
    />
  );
}

const first: readonly Column<Task>[] = [
  {
    title: "Task",
    show: ({ id }) => (
      <Link to="/tasks/$id" params={{ id }} title={id}>
        {shortId(id)}
      </Link>
    ),
    tight: true,
  },
  { title: "Job", show: ({ job_name }) => <JobName name={job_name} /> },
  { title: "State", show: ({ status }) => <TaskState state={status} /> },
];

const heldColumns: readonly Column<Task>[] = [
  ...first,
  { title: "Ran", show: (task) => <Ran {...task} />, number: true },
  { title: "Progress", show: ({ progress }) => progressText(progress), minor: true },
];

const takeColumn: Column<Task> = { title: "Act", show: (task) => <TakeAway task={task} />, number: true };

const pastColumns: readonly Column<Task>[] = [
  ...first,
  { title: "Ran", show: (task) => <Ran {...task} />, number: true },
  { title: "Ended", show: ({ completed_at }) => <Ago at={completed_at} />, minor: true },
  { title: "Error", show: ({ error }) => error?.slice(0, 200) ?? "", minor: true },
];

function Ran({ started_at, completed_at }: Pick<Task, "started_at" | "completed_at">) {
  const now = useNow();
  if (started_at === null) return "–";
  const end = completed_at === null ? now : Date.parse(completed_at);
  return duration(Math.max(0, end - Date.parse(started_at)));
}

function progressText(progress: Task["progress"]): string {
  if (progress === null) return "";
  const { current, total, message } = progress;
  return [total === null ? count(current) : `${count(current)} of ${count(total)}`, message].filter(Boolean).join(", ");
}

function TakeAway({ task }: { readonly task: Task }) {
  const confirm = useConfirm();
  const { act, busy } = useAct<"POST /tasks/{task_id}/evict">(["GET /workers/{worker_id}/tasks"]);
  async function take(): Promise<void> {
    const text = "It waits again, at its old place; neither a failure nor a loss is counted.";
    const sure = await confirm({
      title: "Take the task away?",
      text,
      confirm: "Take it away",
      danger: true,
      note: true,
    });
    if (!sure) return;
    const body = { note: sure.note ?? null };
    await act({ route: "POST /tasks/{task_id}/evict", params: { task_id: task.id }, body }, "The task waits again");
  }
  return (
    <Button small disabled={busy} onClick={() => void take()} title="Let another worker do it">
      Take away
    </Button>
  );
}
