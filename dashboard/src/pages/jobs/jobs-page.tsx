import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useAsk } from "../../api/queries.ts";
import type { Ask } from "../../api/routes.ts";
import { useMay } from "../../api/session.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Choice, TextField } from "../../parts/field.tsx";
import filter from "../../parts/filter.module.css";
import { FirstSteps } from "../../parts/lesson.tsx";
import { Page } from "../../parts/page.tsx";
import { Pager } from "../../parts/pager.tsx";
import { useRowKeys } from "../../parts/row-keys.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { count, duration, percent } from "../../parts/text.ts";
import { HowLong } from "../../parts/time.tsx";
import { Trend } from "../../parts/trend.tsx";
import { useFilterText, useSearchText } from "../../shell/search.ts";
import style from "./jobs.module.css";
import { type Job, type JobRow, type Room, rowsByRoom } from "./rows.ts";
import { statisticsAsk, useStatistics, type Window, windows } from "./statistics.ts";

const most = 500;

/** What the fleet can do, by room, and how it goes. */
export function JobsPage() {
  const [window, setWindow] = useSearchText("window", "24h");
  const [text, setText] = useFilterText("text");
  const [offset, setOffset] = useSearchText("offset", "0");
  const find = text.trim();
  const query = { limit: most, offset: Number(offset) || 0, ...(find !== "" && { find }) };
  const asked: Ask<"GET /jobs"> = { route: "GET /jobs", query };
  const jobs = useAsk(asked);
  const figures = useStatistics(window as Window, find);
  useRowKeys("[data-testid=job-list] td:first-child a");
  useRefresh(["jobs", "workers"], ["GET /jobs"]);
  return (
    <Page
      title="Jobs"
      asked={[asked, statisticsAsk(window as Window, find)]}
      testId="jobs"
      actions={<Choice label="Window" value={window as Window} options={windows} onChange={setWindow} />}
    >
      <search className={filter.filters}>
        <TextField
          label="Find"
          placeholder="part of a name"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </search>
      <Answered of={jobs}>
        {(page) => (
          <>
            {page.total === 0 ? (
              <NoJobs sought={find !== ""} />
            ) : (
              <Rooms jobs={page.items} figures={figures.data?.items} />
            )}
            <Pager page={page} onOffset={(next) => setOffset(String(next))} />
          </>
        )}
      </Answered>
    </Page>
  );
}

interface RoomsProps {
  readonly jobs: readonly Job[];
  readonly figures: Parameters<typeof rowsByRoom>[1] | undefined;
}

function Rooms({ jobs, figures }: RoomsProps) {
  const rooms = useMemo(() => rowsByRoom(jobs, figures ?? []), [jobs, figures]);
  return rooms.map((room) => <RoomCard key={room.name} room={room} />);
}

function NoJobs({ sought }: { readonly sought: boolean }) {
  if (sought) return <Empty title="No job has that in its name" />;
  return (
    <Card title="No job is registered yet">
      <FirstSteps about="A job comes with the first worker that can do it, and stays when that one has gone." />
    </Card>
  );
}

function RoomCard({ room }: { readonly room: Room }) {
  const may = useMay();
  return (
    <Card flush title={room.name} aside={`${count(room.rows.length)} ${room.rows.length === 1 ? "job" : "jobs"}`}>
      <Table
        label={`Jobs of ${room.name}`}
        testId="job-list"
        rows={room.rows}
        columns={may.act ? [...columns, runColumn] : columns}
        even
        keyOf={({ job }) => job.full_name}
      />
    </Card>
  );
}

/** Figures may come later than the jobs, or be those of busier ones. */
function counted(value: number | undefined): string {
  return value === undefined ? "–" : count(value);
}

const columns: readonly Column<JobRow>[] = [
  {
    title: "Job",
    wide: true,
    show: ({ job }) => (
      <>
        <Link to="/jobs/$name" params={{ name: job.full_name }}>
          <strong>{job.name}</strong>
        </Link>{" "}
        <small className={style.category}>{job.category}</small>{" "}
        {job.pause !== null && <Badge tone="warning">paused</Badge>}
      </>
    ),
  },
  {
    title: "Workers",
    number: true,
    minor: true,
    show: ({ job }) => (job.workers.length === 0 ? <Badge tone="warning">nobody</Badge> : count(job.workers.length)),
  },
  { title: "Waiting", number: true, show: ({ figures }) => counted(figures?.waiting) },
  { title: "Running", number: true, minor: true, show: ({ figures }) => counted(figures?.running) },
  { title: "Oldest", rare: true, show: ({ figures }) => <HowLong since={figures?.oldest_ready_at} /> },
  { title: "Done", number: true, minor: true, show: ({ figures }) => counted(figures?.completed) },
  { title: "Success", number: true, show: ({ figures }) => percent(figures?.success_rate ?? null) },
  { title: "Wait p95", number: true, minor: true, show: ({ figures }) => duration(figures?.wait_p95_ms) },
  { title: "Run p50", number: true, rare: true, show: ({ figures }) => duration(figures?.run_p50_ms) },
  { title: "Run p95", number: true, minor: true, show: ({ figures }) => duration(figures?.run_p95_ms) },
  { title: "Trend", rare: true, show: ({ figures }) => figures && <JobTrend figures={figures} /> },
];

const runColumn: Column<JobRow> = {
  title: "",
  number: true,
  show: ({ job }) => (
    <Link to="/jobs/$name/run" params={{ name: job.full_name }}>
      Run
    </Link>
  ),
};

function JobTrend({ figures: { job_name, trend } }: { readonly figures: NonNullable<JobRow["figures"]> }) {
  return (
    <Trend
      label={`How many tasks of ${job_name} ended, and how many of them failed`}
      values={trend.map(({ completed }) => completed)}
      bad={trend.map(({ failed }) => failed)}
    />
  );
}
