import { useAsk } from "../../api/queries.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Card, Facts, Figure, Grid } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { bytes, count, duration } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";
import { NodesCard } from "./nodes-card.tsx";
import type { System } from "./system.ts";
import { largestFirst, rowsOf, type TableSize } from "./tables.ts";

/** How the server itself is. */
export function HealthPage() {
  const system = useAsk({ route: "GET /system" });
  useRefresh(["tasks", "workers"], ["GET /system"], 5_000);
  const nodes = useAsk({ route: "GET /nodes" }, { refetchInterval: 3_000 });
  return (
    <Page title="Health" asked={[{ route: "GET /system" }, { route: "GET /nodes" }]} testId="health">
      <Answered of={system} rows={8}>
        {(now) => (
          <>
            <Figures system={now} />
            <Answered of={nodes}>{(all) => <NodesCard nodes={all} />}</Answered>
            <Grid min={420}>
              <Tables tables={now.store.tables} />
              <Statements statements={now.store.statements} />
            </Grid>
            <Grid min={320}>
              <Broker broker={now.broker} />
              <Sweeper sweeper={now.sweeper} />
              <Migrations migrations={now.store.migrations} />
            </Grid>
          </>
        )}
      </Answered>
    </Page>
  );
}

function Figures({ system: { version, started_at, store } }: { readonly system: System }) {
  return (
    <Grid min={170}>
      <Figure label="Leadhand" value={version} hint={<Up since={started_at} />} />
      <Figure label="Database" value={store.kind} hint={store.version ?? ""} />
      <Figure
        label="Its size"
        value={bytes(store.bytes)}
        hint={store.wal_bytes === null ? "" : `${bytes(store.wal_bytes)} of log`}
      />
      <Figure
        label="Migrations"
        value={count(store.migrations.length)}
        hint={`the last is ${store.migrations.at(-1)?.name ?? "none"}`}
      />
    </Grid>
  );
}

function Up({ since }: { readonly since: string }) {
  return (
    <>
      started <Ago at={since} />
    </>
  );
}

const tablesMax = 12;

const tableColumns: readonly Column<TableSize>[] = [
  { title: "Table", show: ({ name }) => <code>{name}</code> },
  { title: "Rows, about", number: true, show: (table) => rowsOf(table) },
  { title: "Size", number: true, show: ({ bytes: size }) => bytes(size) },
];

function Tables({ tables }: { readonly tables: readonly TableSize[] }) {
  const largest = largestFirst(tables).slice(0, tablesMax);
  // SQLite does not say how large a table is.
  const columns = tables.some(({ bytes: size }) => size !== null) ? tableColumns : tableColumns.slice(0, 2);
  return (
    <Card flush title="Tables" aside="the largest">
      <Table label="Tables" rows={largest} columns={columns} keyOf={({ name }) => name} />
    </Card>
  );
}

type Statement = System["store"]["statements"][number];

const statementColumns: readonly Column<Statement>[] = [
  { title: "Statement", show: ({ name }) => <code>{name}</code>, wide: true },
  { title: "Calls", number: true, show: ({ calls }) => count(calls) },
  { title: "Mean", number: true, show: ({ mean_ms }) => fine(mean_ms) },
  { title: "p95", number: true, show: ({ p95_ms }) => fine(p95_ms) },
  { title: "Longest", number: true, show: ({ max_ms }) => fine(max_ms) },
];

function fine(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : duration(ms);
}

function Statements({ statements }: { readonly statements: readonly Statement[] }) {
  return (
    <Card flush title="Where the database's time goes" aside="since this server started">
      <Table
        label="Statements"
        rows={statements.slice(0, tablesMax)}
        columns={statementColumns}
        keyOf={({ name }) => name}
      />
    </Card>
  );
}

function Broker({ broker }: { readonly broker: System["broker"] }) {
  if (broker === null) {
    return (
      <Card title="Message broker">
        <Empty title="None is used" command="LEADHAND_AMQP_URL=amqp://… npx leadhand serve">
          With RabbitMQ, workers can be told of tasks by queues.
        </Empty>
      </Card>
    );
  }
  return (
    <Card
      title="Message broker"
      aside={broker.connected ? <Badge tone="completed">connected</Badge> : <Badge tone="failed">out of reach</Badge>}
    >
      <Facts
        facts={[
          ["Where", <code key="url">{broker.url}</code>],
          ["Since", <Ago key="since" at={broker.since} />],
          ...broker.queues.map(
            ({ name, ready, consumers }) => [name, `${ready ?? "–"} ready, ${consumers ?? "–"} consumers`] as const,
          ),
        ]}
      />
    </Card>
  );
}

function Sweeper({ sweeper: { leader, last_at, last_ms, runs, moved } }: { readonly sweeper: System["sweeper"] }) {
  const kinds = Object.entries(moved).map(([kind, number]) => [kind.replaceAll("_", " "), count(number)] as const);
  return (
    <Card title="Sweeper" aside={leader ? "this server leads" : "another server leads"}>
      <Facts
        facts={[
          ["Last run", <Ago key="last" at={last_at} />],
          ["It took", duration(last_ms)],
          ["Runs", count(runs)],
          ...kinds,
        ]}
      />
    </Card>
  );
}

function Migrations({ migrations }: { readonly migrations: System["store"]["migrations"] }) {
  return (
    <Card title="Migrations">
      <Facts facts={migrations.map(({ number, name }) => [String(number).padStart(4, "0"), name] as const)} />
    </Card>
  );
}
