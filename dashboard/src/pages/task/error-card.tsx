import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { Json } from "../../parts/json.tsx";
import { Scrolled } from "../../parts/scrolled.tsx";
import { quoted } from "../tasks/query-terms.ts";
import style from "./task.module.css";
import type { Task } from "./use-task.ts";

/** A browser takes seconds to break a megabyte into lines. */
const shownMax = 20_000;

export function ErrorCard({ task }: { readonly task: Task }) {
  const [whole, setWhole] = useState(false);
  const { error, error_code: code, error_details: details, job_name: job, status } = task;
  if (error === null) return null;
  const alike = [`job:${quoted(job)}`, "state:failed", ...(code === null ? [] : [`code:${quoted(code)}`])].join(" ");
  return (
    <Card
      title={status === "failed" ? "Error" : "Remark"}
      aside={
        <>
          {code !== null && <Badge tone="failed">{code}</Badge>}
          {status === "failed" && (
            <Link to="/tasks" search={{ q: alike }}>
              Others like it
            </Link>
          )}
          <CopyButton text={error} label="Copy" />
        </>
      }
    >
      <Scrolled className={style.error} data-failed={status === "failed"} aria-label="Text of the error">
        <pre data-testid="task-error">{whole ? error : error.slice(0, shownMax)}</pre>
      </Scrolled>
      {!whole && error.length > shownMax && (
        <Button small onClick={() => setWhole(true)}>
          Show all {error.length.toLocaleString("en")} characters
        </Button>
      )}
      {details !== null && details !== undefined && <Json label="Details of the error" value={details} />}
    </Card>
  );
}
