import { useNavigate } from "@tanstack/react-router";
import { Button } from "../../parts/button.tsx";
import { useConfirm } from "../../parts/confirm.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { useAct } from "../../parts/toast.tsx";
import { termsOf } from "./like-task.ts";
import { isFinal, type Task } from "./use-task.ts";

/** What may be done to it as it is now, by whoever looks at it. */
export function TaskActions({ task }: { readonly task: Task }) {
  const acts = useTaskActs(task);
  const { may } = task;
  const final = isFinal(task);
  const possible: readonly (MenuItem | false)[] = [
    may.retry && { label: "Clone: submit the same again", onSelect: acts.clone },
    may.retry && { label: "Edit and run again…", onSelect: acts.edit },
    may.evict && task.worker_id !== null && !final && { label: "Take from its worker…", onSelect: acts.evict },
    may.delete && final && { label: "Delete…", danger: true, onSelect: acts.remove },
  ];
  const more = possible.filter((item) => item !== false);
  return (
    <>
      {final && may.retry && (
        <Button
          kind={task.status === "completed" ? "plain" : "main"}
          disabled={acts.busy}
          data-testid="retry"
          onClick={acts.retry}
        >
          Retry
        </Button>
      )}
      {!final && may.cancel && (
        <Button kind="danger" disabled={acts.busy} data-testid="cancel" onClick={acts.cancel}>
          Cancel
        </Button>
      )}
      {more.length > 0 && <Menu label="More ▾" name="More acts" testId="task-menu" items={more} />}
    </>
  );
}

function useTaskActs(task: Task) {
  const go = useNavigate();
  const confirm = useConfirm();
  const params = { task_id: task.id };
  const { act, busy } = useAct(["GET /tasks/{task_id}", "GET /tasks/{task_id}/events", "GET /tasks/{task_id}/explain"]);
  // Nothing is asked again about a task that is gone.
  const { act: erase } = useAct<"DELETE /tasks/{task_id}">([]);
  const open = (made: unknown) => {
    if (made) void go({ to: "/tasks/$id", params: { id: (made as Task).id } });
  };
  async function cancel(): Promise<void> {
    const text = "Its open children go with it. What it has done so far stays in its history.";
    if (!(await confirm({ title: "Cancel this task?", text, confirm: "Cancel the task", danger: true }))) return;
    await act({ route: "POST /tasks/{task_id}/cancel", params }, "Cancelled");
  }
  async function retry(): Promise<void> {
    const text = "It went well. What it does is done once more, by a new task with the same input.";
    const question = { title: "Run it again?", text, confirm: "Run it again" };
    if (task.status === "completed" && !(await confirm(question))) return;
    open(await act({ route: "POST /tasks/{task_id}/retry", params }, "Submitted again, as a new task"));
  }
  async function clone(): Promise<void> {
    const { room_id, job_name, payload, priority, queue } = task;
    const body = { payload, priority, queue, ...termsOf(task) };
    const asked = { route: "POST /rooms/{room_id}/tasks/{job_name+}", params: { room_id, job_name }, body } as const;
    open(await act(asked, "Submitted"));
  }
  async function evict(): Promise<void> {
    const text = "It waits again at its old place. Neither a failure nor a loss is counted.";
    const sure = await confirm({ title: "Take it from its worker?", text, confirm: "Take it", note: true });
    if (sure === null) return;
    const body = sure.note === undefined ? {} : { note: sure.note };
    await act({ route: "POST /tasks/{task_id}/evict", params, body }, "It waits again");
  }
  async function remove(): Promise<void> {
    const text = "The task goes with its history and its log. Nobody can bring it back.";
    if (!(await confirm({ title: "Delete this task?", text, confirm: "Delete it", danger: true }))) return;
    const done = await erase({ route: "DELETE /tasks/{task_id}", params }, "Deleted");
    if (done !== null) void go({ to: "/tasks" });
  }
  const edit = () => void go({ to: "/jobs/$name/run", params: { name: task.job_name }, search: { from: task.id } });
  return {
    busy,
    edit,
    cancel: () => void cancel(),
    retry: () => void retry(),
    clone: () => void clone(),
    evict: () => void evict(),
    remove: () => void remove(),
  };
}
