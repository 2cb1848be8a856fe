import { Link, useParams } from "@tanstack/react-router";
import { shellText } from "../../api/client.ts";
import { leadhandCommand } from "../../api/place.ts";
import { useAsk } from "../../api/queries.ts";
import type { Answer, Ask } from "../../api/routes.ts";
import { useMay } from "../../api/session.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge, WorkerState } from "../../parts/badge.tsx";
import { buttonClass } from "../../parts/button.tsx";
import { Card, Facts, Figure, Grid, Figures as Six } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Json } from "../../parts/json.tsx";
import { Page } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { count, duration, percent } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";
import { quoted } from "../tasks/query-terms.ts";
import { JobPause } from "./job-pause.tsx";
import { roomOf } from "./rows.ts";
import { useStatistics } from "./statistics.ts";

type Job = Answer<"GET /rooms/{room_id}/jobs/{job_name+}">;

export function JobPage() {
  const { name } = useParams({ strict: false }) as { name: string };
  const may = useMay();
  const asked: Ask<"GET /rooms/{room_id}/jobs/{job_name+}"> = {
    route: "GET /rooms/{room_id}/jobs/{job_name+}",
    params: { room_id: roomOf(name), job_name: name },
  };
  // Never that of another job: there is a button that pauses it.
  const job = useAsk(asked, { placeholderData: () => undefined });
  useRefresh(["jobs", "workers"], [asked.route, "GET /jobs/{job_name+}/versions"]);
  const actions = (
    <>
      <Link to="/tasks" search={{ q: `job:${quoted(name)}` }}>
        Its tasks
      </Link>
      {may.administer && job.data && <JobPause job={job.data} />}
      {may.act && (
        <Link to="/jobs/$name/run" params={{ name }} className={buttonClass("main")} data-testid="run">
          Run
        </Link>
      )}
    </>
  );
  return (
    <Page title={name} asked={asked} actions={actions} testId="job">
      <Answered of={job}>{(found) => <Details key={found.full_name} job={found} />}</Answered>
    </Page>
  );
}

function Details({ job }: { readonly job: Job }) {
  return (
    <>
      <Figures name={job.full_name} />
      <Grid min={420}>
        <Card title="About">
          <Facts
            facts={[
              ["Room", job.room_id],
              ["Category", job.category],
              ["Queue", job.queue ?? "default"],
              ["Labels", labels(job.labels)],
              ["Spec", <Sum key="spec" of={job.checksum} />],
              ["Since", <Ago key="since" at={job.created_at} />],
              ["Paused", job.pause === null ? "no" : <Paused key="paused" {...job.pause} />],
            ]}
          />
        </Card>
        <Card title="Policy">
          <Json value={job.policy ?? {}} label="Policy" />
        </Card>
        <Card title="Schema of the payload">
          <Json value={job.schema} label="Schema of the payload" />
        </Card>
        <Card title="Schema of the result">
          {job.output === null ? (
            <Empty title="It says nothing of its results" />
          ) : (
            <Json value={job.output} label="Output" />
          )}
        </Card>
      </Grid>
      <Versions name={job.full_name} />
    </>
  );
}

function Paused({ by, at, until, note }: NonNullable<Job["pause"]>) {
  return (
    <>
      by {by} <Ago at={at} />, {until === null ? "until somebody resumes it" : <Ends at={until} />}
      {note === null ? "" : `: ${note}`}
    </>
  );
}

function Ends({ at }: { readonly at: string }) {
  return (
    <>
      ends <Ago at={at} />
    </>
  );
}

function labels(of: Job["labels"]): string {
  const said = Object.entries(of ?? {}).map(([key, value]) => `${key}=${value}`);
  return said.length === 0 ? "any worker" : said.join(", ");
}

/** So much as tells two apart. */
function Sum({ of }: { readonly of: string }) {
  return <code title={of}>{of.length > 24 ? `${of.slice(0, 19)}…` : of}</code>;
}

function Figures({ name }: { readonly name: string }) {
  const { data } = useStatistics("24h", name);
  const own = data?.items.find(({ job_name }) => job_name === name);
  return (
    <Six>
      <Figure label="Success, 24 h" value={percent(own?.success_rate ?? null)} />
      <Figure label="Completed, 24 h" value={count(own?.completed ?? 0)} />
      <Figure label="Failed, 24 h" value={count(own?.failed ?? 0)} {...((own?.failed ?? 0) > 0 && { tone: "bad" })} />
      <Figure label="Wait" value={duration(own?.wait_p95_ms)} hint={`p95; half within ${duration(own?.wait_p50_ms)}`} />
      <Figure label="Run" value={duration(own?.run_p95_ms)} hint={`p95; half within ${duration(own?.run_p50_ms)}`} />
      <Figure label="Waiting now" value={count(own?.waiting ?? 0)} />
    </Six>
  );
}

/** Which specs are in use, and by whom. */
function Versions({ name }: { readonly name: string }) {
  const versions = useAsk({ route: "GET /jobs/{job_name+}/versions", params: { job_name: name } });
  return (
    <Card flush title="Versions in use" aside={versions.data && <Runnable {...versions.data} />}>
      <Answered of={versions}>
        {({ versions: all }) =>
          all.every(({ worker_count }) => worker_count === 0) ? (
            <Empty title="No worker serves it now" command={leadhandCommand(`jobs versions ${shellText(name)}`)}>
              Its tasks wait until a worker comes that has a job of this name and with this schema. This tells the same
              in a terminal.
            </Empty>
          ) : (
            <Table
              label="Versions"
              rows={all}
              keyOf={({ checksum }) => String(checksum)}
              columns={[
                {
                  title: "Spec",
                  show: ({ checksum }) => (checksum === null ? "whatever is registered" : <Sum of={checksum} />),
                  wide: true,
                },
                {
                  title: "",
                  show: ({ matching }) =>
                    matching ? <Badge tone="completed">matches</Badge> : <Badge tone="failed">other</Badge>,
                },
                { title: "Workers", number: true, show: ({ worker_count }) => count(worker_count) },
                { title: "Who", wide: true, show: ({ workers }) => <Who workers={workers} /> },
              ]}
            />
          )
        }
      </Answered>
    </Card>
  );
}

type Known = Answer<"GET /jobs/{job_name+}/versions">;

function Runnable({ runnable, reason }: Pick<Known, "runnable" | "reason">) {
  return runnable ? (
    <Badge tone="completed">can be run</Badge>
  ) : (
    <Badge tone="warning">{reason ?? "nobody can run it"}</Badge>
  );
}

const whoMax = 12;

function Who({ workers }: { readonly workers: Known["versions"][number]["workers"] }) {
  return (
    <>
      {workers.slice(0, whoMax).map(({ id, name, hostname, state }) => (
        <div key={id}>
          <Link to="/fleet/$id" params={{ id }}>
            {name ?? hostname ?? id}
          </Link>{" "}
          <WorkerState state={state} />
        </div>
      ))}
      {workers.length > whoMax && <div>and {workers.length - whoMax} more</div>}
    </>
  );
}
