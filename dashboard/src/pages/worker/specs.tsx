import { Link } from "@tanstack/react-router";
import { useAsk } from "../../api/queries.ts";
import type { Item } from "../../api/routes.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { JobName } from "../../parts/job-name.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { count } from "../../parts/text.ts";

type Match = Item<"GET /workers/{worker_id}/specs">;

/** Whether what it was written for is what is registered: where it is not, it is given no tasks. */
export function Specs({ id }: { readonly id: string }) {
  const specs = useAsk({ route: "GET /workers/{worker_id}/specs", params: { worker_id: id } });
  useRefresh(["jobs"], ["GET /workers/{worker_id}/specs"]);
  return (
    <Card flush title="Jobs it can do" aside={specs.data && asideOf(specs.data.items)}>
      <Answered of={specs}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="It has registered no job" />
          ) : (
            <Table
              label="Jobs it can do"
              testId="spec-list"
              rows={items}
              columns={columns}
              keyOf={({ job_name }) => job_name}
            />
          )
        }
      </Answered>
    </Card>
  );
}

function asideOf(specs: readonly Match[]): string {
  const wrong = specs.filter(({ matches }) => matches === false).length;
  if (specs.length === 0) return "";
  return wrong === 0 ? "all as registered" : `${count(wrong)} of another version`;
}

const columns: readonly Column<Match>[] = [
  {
    title: "Job",
    show: ({ job_name }) => (
      <Link to="/jobs/$name" params={{ name: job_name }}>
        <JobName name={job_name} />
      </Link>
    ),
    wide: true,
  },
  { title: "Fits", show: ({ matches }) => <Fits matches={matches} /> },
  { title: "It has", show: ({ announced }) => <Checksum value={announced} none="any" />, minor: true },
  { title: "Registered", show: ({ current }) => <Checksum value={current} none="none" />, minor: true },
  { title: "Done", show: ({ tasks_done }) => count(tasks_done), number: true },
];

function Fits({ matches }: { readonly matches: boolean | null }) {
  if (matches === null) return <Badge tone="pending">not registered</Badge>;
  return matches ? <Badge tone="completed">matches</Badge> : <Badge tone="failed">differs</Badge>;
}

function Checksum({ value, none }: { readonly value: string | null; readonly none: string }) {
  if (value === null) return none;
  return <code title={value}>{value.replace(/^sha256:/, "").slice(0, 10)}</code>;
}
