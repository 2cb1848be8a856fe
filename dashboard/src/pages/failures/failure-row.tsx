import { Link } from "@tanstack/react-router";
import { ask } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { useConfirm } from "../../parts/confirm.tsx";
import { count, plural } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";
import { useAct } from "../../parts/toast.tsx";
import { Trend } from "../../parts/trend.tsx";
import style from "./failures.module.css";
import type { Failure } from "./failures.ts";

export function FailureRow({ failure, mayAct }: { readonly failure: Failure; readonly mayAct: boolean }) {
  const { fingerprint, job_name, error_code, error, tasks, first_at, last_at, trend, sample_task_id } = failure;
  return (
    <li className={style.group} data-testid="failure-row">
      <div className={style.words}>
        <strong title={error}>{error}</strong>
        <small>
          <Link to="/jobs/$name" params={{ name: job_name }}>
            {job_name}
          </Link>
          {error_code !== null && <code>{error_code}</code>}
          <span>
            first <Ago at={first_at} />, last <Ago at={last_at} />
          </span>
        </small>
      </div>
      <Trend label={`How often over time: ${error.slice(0, 80)}`} values={trend.map(() => 0)} bad={trend} />
      <div className={style.count}>
        <strong>{count(tasks)}</strong>
        <small>{tasks === 1 ? "task" : "tasks"}</small>
      </div>
      <div className={style.acts}>
        <Link to="/tasks" search={{ q: `fingerprint:${fingerprint}` }}>
          All
        </Link>
        {sample_task_id !== null && (
          <Link to="/tasks/$id" params={{ id: sample_task_id }}>
            Last one
          </Link>
        )}
        {mayAct && <RetryAll failure={failure} />}
      </div>
    </li>
  );
}

/** Says how many first. */
function RetryAll({ failure }: { readonly failure: Failure }) {
  const confirm = useConfirm();
  const { act, busy } = useAct<"POST /tasks/acts">(["GET /failures", "GET /acts"]);
  const q = `fingerprint:${failure.fingerprint} state:failed`;
  async function retry(): Promise<void> {
    const found = await ask({ route: "GET /tasks/count", query: { q } });
    const number = `${plural(found.count, "task")}${found.exact ? "" : " or more"}`;
    const sure = await confirm({
      title: `Retry ${number}?`,
      text: "Each is run again as a new task with the same payload. Those that were retried already are left alone.",
      confirm: "Retry all",
      note: true,
    });
    if (sure === null) return;
    const body = { act: "retry", q, ...(sure.note !== undefined && { note: sure.note }) } as const;
    await act({ route: "POST /tasks/acts", body }, `${number} will be retried`);
  }
  return (
    <Button small disabled={busy} onClick={() => void retry()} data-testid="retry-all">
      Retry all
    </Button>
  );
}
