import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useAsk } from "../../api/queries.ts";
import type { Answer, Ask } from "../../api/routes.ts";
import { useMay, useSession } from "../../api/session.ts";
import { Answered } from "../../parts/answered.tsx";
import { Button } from "../../parts/button.tsx";
import { Card, Facts, Grid } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { useAct } from "../../parts/toast.tsx";
import { useSearchText } from "../../shell/search.ts";
import { roomOf } from "../jobs/rows.ts";
import { termsOf, termWords } from "../task/like-task.ts";
import { Options, optionsBody, type RunOptions } from "./options.tsx";
import { hasForm, PayloadForm } from "./payload-form.tsx";
import { RawPayload } from "./raw-payload.tsx";
import style from "./run.module.css";
import { useCheck } from "./use-check.ts";
import { errorsToShow, isOfPayload, type Payload, verdictOf } from "./verdict.ts";

type Job = Answer<"GET /rooms/{room_id}/jobs/{job_name+}">;
type Submit = "POST /rooms/{room_id}/tasks/{job_name+}";

/** Runs a job by a form that its schema makes; the same as text beside it. */
export function RunPage() {
  const { name } = useParams({ strict: false }) as { name: string };
  const [from] = useSearchText("from");
  const may = useMay();
  const asked: Ask<"GET /rooms/{room_id}/jobs/{job_name+}"> = {
    route: "GET /rooms/{room_id}/jobs/{job_name+}",
    params: { room_id: roomOf(name), job_name: name },
  };
  const once = { refetchInterval: false, staleTime: Number.POSITIVE_INFINITY } as const;
  const still = { ...once, placeholderData: () => undefined };
  const job = useAsk(asked, still);
  const like = useAsk({ route: "GET /tasks/{task_id}", params: { task_id: from } }, { ...still, enabled: from !== "" });
  if (may.act && job.data !== undefined && (from === "" || like.data !== undefined)) {
    return <Run key={`${job.data.full_name} ${from}`} job={job.data} like={like.data} />;
  }
  return (
    <Page title={`Run ${name}`} asked={asked} testId="run-page">
      {may.act ? (
        <Answered of={job}>{() => <Answered of={like}>{() => null}</Answered>}</Answered>
      ) : (
        <Empty title="Your token may look, and not run anything" />
      )}
    </Page>
  );
}

interface RunProps {
  readonly job: Job;
  /** The task to begin with, where one is run again. */
  readonly like: Answer<"GET /tasks/{task_id}"> | undefined;
}

function Run({ job, like }: RunProps) {
  const [payload, setPayload] = useState((like?.payload ?? {}) as Payload);
  const [broken, setBroken] = useState(false);
  const [tried, setTried] = useState(false);
  const { rooms } = useSession();
  const [options, setOptions] = useState<RunOptions>(() => ({
    room: like?.room_id ?? (job.room_id.startsWith("@") ? (rooms?.[0] ?? "lab") : job.room_id),
    ...(like && { queue: like.queue, priority: like.priority }),
  }));
  const check = useCheck(job, options.room, payload);
  const errors = useMemo(() => errorsToShow(check.errors, payload, tried), [check.errors, payload, tried]);
  const go = useNavigate();
  const { act, busy } = useAct<Submit>(["GET /tasks"], isOfPayload);
  const asked: Ask<Submit> = {
    route: "POST /rooms/{room_id}/tasks/{job_name+}",
    params: { room_id: options.room, job_name: job.full_name },
    body: { payload, ...(like && termsOf(like)), ...optionsBody(options) },
  };
  async function submit(): Promise<void> {
    setTried(true);
    const task = await act(asked, "It was accepted");
    if (task !== null) await go({ to: "/tasks/$id", params: { id: task.id } });
  }
  return (
    <Page title={`Run ${job.full_name}`} asked={asked} testId="run-page">
      <Grid min={420}>
        <Card title="Payload">
          <PayloadForm schema={job.schema} payload={payload} errors={errors} onChange={setPayload} />
        </Card>
        <Card title="The same as JSON">
          <RawPayload payload={payload} onChange={setPayload} onBroken={setBroken} />
        </Card>
      </Grid>
      <Card title="How">
        <Options options={options} onChange={setOptions} free={job.room_id.startsWith("@")} />
        {like && termWords(like).length > 0 && (
          <div className={style.kept}>
            <Facts facts={termWords(like)} />
          </div>
        )}
      </Card>
      <div className={style.go}>
        <Button kind="main" data-testid="submit" disabled={busy || broken} onClick={() => void submit()}>
          Run
        </Button>
        <p role="status" data-testid="verdict">
          {verdictOf(check, errors, hasForm(job.schema, payload))}
        </p>
      </div>
    </Page>
  );
}
