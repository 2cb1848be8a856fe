import { useAsk } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge, WorkerState } from "../../parts/badge.tsx";
import { Card, Facts } from "../../parts/card.tsx";
import { Table } from "../../parts/table.tsx";
import { byOurClock, plural } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";
import style from "./task.module.css";
import { WorkerLink } from "./worker-link.tsx";

type Explained = Answer<"GET /tasks/{task_id}/explain">;
type WorkerFact = Explained["facts"]["workers"][number];
type Fact = readonly [string, string | React.ReactNode];

/** Why it does not run, while it does not. */
export function ExplainCard({ id }: { readonly id: string }) {
  const asked = useAsk({ route: "GET /tasks/{task_id}/explain", params: { task_id: id } }, { refetchInterval: 3_000 });
  return (
    <Card title="Why it waits" aside={asked.data && <Badge tone="accent">{asked.data.cause}</Badge>}>
      <Answered of={asked} rows={2}>
        {({ sentence, facts }) => (
          <div className={style.explain}>
            <p className={style.sentence} data-testid="explain">
              {byOurClock(sentence, Date.now())}
            </p>
            {factsOf(facts).length > 0 && <Facts facts={factsOf(facts)} />}
            {facts.workers.length > 0 && <Workers facts={facts} />}
          </div>
        )}
      </Answered>
    </Card>
  );
}

function factsOf(facts: Explained["facts"]): readonly Fact[] {
  const list: readonly (Fact | null)[] = [
    facts.position === null
      ? null
      : ["In line", `${facts.position.toLocaleString("en")}${facts.position_exact ? "" : " or so"}`],
    facts.run_at === null ? null : ["Not before", <Ago key="run" at={facts.run_at} />],
    facts.failures === 0 ? null : ["Failures", String(facts.failures)],
    facts.last_error === null ? null : ["Last error", facts.last_error.slice(0, 500)],
    facts.refusal === null ? null : ["Its payload", facts.refusal],
    facts.limit === null ? null : ["Limit", `${facts.limit.running} of ${facts.limit.max_running} run at once`],
    facts.job_pause === null ? null : ["Job paused", pauseText(facts.job_pause)],
    facts.queue_pause === null ? null : ["Queue paused", pauseText(facts.queue_pause)],
    Object.keys(facts.labels).length === 0 ? null : ["Wants labels", labelText(facts.labels)],
    facts.push?.failure == null ? null : ["Last answer", facts.push.failure],
  ];
  return list.filter((fact) => fact !== null);
}

function Workers({ facts }: { readonly facts: Explained["facts"] }) {
  return (
    <div className={style.workers}>
      <h3>{plural(facts.workers_total, "worker")} can do this job</h3>
      <Table<WorkerFact>
        label="Workers of the job"
        rows={facts.workers.slice(0, 20)}
        keyOf={(worker) => worker.id ?? `${worker.name} ${worker.seen_at}`}
        columns={[
          { title: "Worker", show: ({ id, name }) => (id === null ? (name ?? "hidden") : <WorkerLink id={id} />) },
          { title: "State", show: ({ state }) => <WorkerState state={state} /> },
          { title: "What keeps it", show: (worker) => hindranceText(worker) },
          { title: "Holds", number: true, show: ({ held, capacity }) => `${held} / ${capacity ?? "–"}` },
        ]}
      />
    </div>
  );
}

function hindranceText(worker: WorkerFact): string {
  switch (worker.hindrance) {
    case null:
      return "nothing: it may take it next";
    case "checksum":
      return "it has another version of the job";
    case "labels":
      return `it carries ${labelText(worker.labels) || "no labels"}`;
    case "queue":
      return `it serves other queues: ${worker.queues?.join(", ") ?? ""}`;
    case "full":
      return "it is full";
    case "paused":
      return worker.pause === null ? "it is paused" : `paused ${pauseText(worker.pause)}`;
    case "deaf":
      return "it beats, but does not hear";
    default:
      return `it is ${worker.hindrance}`;
  }
}

function pauseText({ by, note }: { readonly by: string; readonly note: string | null }): string {
  return note === null ? `by ${by}` : `by ${by}: ${note}`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(", ");
}
