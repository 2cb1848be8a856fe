import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { outdate } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { count } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";
import { Trend } from "../../parts/trend.tsx";
import { type Begun, useBeginAct } from "../tasks/begin-act.tsx";
import style from "./failures.module.css";
import type { Failure } from "./failures.ts";

export interface FailureRowProps {
  readonly failure: Failure;
  /** What is counted, shown and retried is of the same time. */
  readonly window: string;
  readonly mayAct: boolean;
  readonly onAct: Begun;
}

export function FailureRow({ failure, window, mayAct, onAct }: FailureRowProps) {
  const { job_name, error_code, error, tasks, first_at, last_at, trend, sample_task_id } = failure;
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
        <Link to="/tasks" search={{ q: queryOf(failure, window) }} data-row>
          All
        </Link>
        {sample_task_id !== null && (
          <Link to="/tasks/$id" params={{ id: sample_task_id }}>
            Last one
          </Link>
        )}
        {mayAct && <RetryAll query={queryOf(failure, window)} onAct={onAct} />}
      </div>
    </li>
  );
}

function queryOf({ fingerprint }: Failure, window: string): string {
  return `fingerprint:${fingerprint} state:failed ended<${window}`;
}

type RetryAllProps = Pick<FailureRowProps, "onAct"> & { readonly query: string };

/** Says how many first. */
function RetryAll({ query: q, onAct }: RetryAllProps) {
  const [busy, setBusy] = useState(false);
  const beginAct = useBeginAct((act, number) => {
    onAct(act, number);
    outdate("GET /failures");
  });
  function begin(): void {
    setBusy(true);
    void beginAct({ act: "retry", q, none: "None of them is there any more" }).finally(() => setBusy(false));
  }
  return (
    <Button small disabled={busy} onClick={begin} data-testid="retry-all">
      Retry all
    </Button>
  );
}
