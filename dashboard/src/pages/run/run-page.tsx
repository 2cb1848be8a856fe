import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
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
import { type Payload, PayloadForm } from "./payload-form.tsx";
import { RawPayload } from "./raw-payload.tsx";
import style from "./run.module.css";
import { useCheck } from "./use-check.ts";

type Job = Answer<"GET /rooms/{room_id}/jobs/{job_name+}">;

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
  return (
    <Page title={`Run ${name}`} asked={asked} testId="run-page">
      {!may.act && <Empty title="Your token may look, and not run anything" />}
      {may.act && (
        <Answered of={job}>
          {(found) =>
            from !== "" && like.data === undefined ? (
              <Answered of={like}>{() => null}</Answered>
            ) : (
              <Run key={`${found.full_name} ${from}`} job={found} like={like.data} />
            )
          }
        </Answered>
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
  const { rooms } = useSession();
  const [options, setOptions] = useState<RunOptions>(() => ({
    room: like?.room_id ?? (job.room_id.startsWith("@") ? (rooms?.[0] ?? "lab") : job.room_id),
    ...(like && { queue: like.queue, priority: like.priority }),
  }));
  const check = useCheck(job, options.room, payload);
  const go = useNavigate();
  const { act, busy } = useAct<"POST /rooms/{room_id}/tasks/{job_name+}">(["GET /tasks"]);
  async function submit(): Promise<void> {
    const task = await act(
      {
        route: "POST /rooms/{room_id}/tasks/{job_name+}",
        params: { room_id: options.room, job_name: job.full_name },
        body: { payload, ...(like && termsOf(like)), ...optionsBody(options) },
      },
      "It was accepted",
    );
    if (task !== null) await go({ to: "/tasks/$id", params: { id: task.id } });
  }
  return (
    <>
      <Grid min={420}>
        <Card title="Payload">
          <PayloadForm schema={job.schema} payload={payload} errors={check.errors} onChange={setPayload} />
        </Card>
        <Card title="The same as JSON" aside={check.told}>
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
      <div>
        <Button kind="main" data-testid="submit" disabled={busy || broken} onClick={() => void submit()}>
          Run
        </Button>
      </div>
    </>
  );
}
