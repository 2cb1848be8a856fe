import type { Answer } from "../../api/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { bytes, count, duration, shortId } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";

type Nodes = Answer<"GET /nodes">;
type Node = Nodes["items"][number];

/** The servers on this database, and who leads. */
export function NodesCard({ nodes }: { readonly nodes: Nodes }) {
  return (
    <Card flush title="Servers">
      <Table label="Servers" testId="node-list" rows={nodes.items} columns={columns} keyOf={({ id }) => id} />
    </Card>
  );
}

const columns: readonly Column<Node>[] = [
  {
    title: "Server",
    wide: true,
    show: ({ id, address, online, leader }) => (
      <>
        <strong title={id}>{address ?? shortId(id)}</strong>{" "}
        {online ? <Badge tone="completed">online</Badge> : <Badge tone="failed">silent</Badge>}{" "}
        {leader && <Badge tone="accent">leads</Badge>}
      </>
    ),
  },
  { title: "Version", show: ({ version }) => version, tight: true },
  { title: "Started", show: ({ started_at }) => <Ago at={started_at} />, minor: true },
  { title: "Seen", show: ({ seen_at }) => <Ago at={seen_at} /> },
  { title: "Workers", number: true, show: ({ load }) => figure(load.workers) },
  { title: "Tasks", number: true, show: ({ load }) => figure(load.tasks) },
  { title: "Connections", number: true, minor: true, show: ({ load: { connections } }) => connectionsOf(connections) },
  { title: "Lag p99", number: true, minor: true, show: ({ load }) => duration(load.loop_lag_p99_ms) },
  {
    title: "CPU",
    number: true,
    minor: true,
    show: ({ load }) => (load.cpu_percent === null ? "–" : `${Math.round(load.cpu_percent)} %`),
  },
  { title: "Memory", number: true, minor: true, show: ({ load }) => bytes(load.memory_bytes) },
  { title: "Clock", number: true, minor: true, show: ({ clock_skew_ms }) => `${clock_skew_ms} ms` },
];

function figure(value: number | null): string {
  return value === null ? "–" : count(value);
}

function connectionsOf({ http, sockets, work }: Node["load"]["connections"]): string {
  return count((http ?? 0) + (sockets ?? 0) + (work ?? 0));
}
