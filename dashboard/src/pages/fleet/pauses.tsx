import { Link } from "@tanstack/react-router";
import { useAsk } from "../../api/queries.ts";
import type { Ask, Item } from "../../api/routes.ts";
import { useMay } from "../../api/session.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { useConfirm } from "../../parts/confirm.tsx";
import { JobName } from "../../parts/job-name.tsx";
import { useIsNarrow } from "../../parts/narrow.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { count, plural } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";
import { useAct } from "../../parts/toast.tsx";
import { useSearchText } from "../../shell/search.ts";
import { changedByActs } from "./act-words.ts";
import style from "./fleet.module.css";
import { nameOf, type Worker } from "./worker.ts";

type Pause = Item<"GET /pauses">;

/** Of more, only these are shown at first, and none on a phone: the tiles are what the page is for. */
const few = 3;

/** Whatever gets nothing new: jobs, queues and workers. */
export function Pauses({ workers }: { readonly workers: readonly Worker[] }) {
  const pauses = useAsk({ route: "GET /pauses", query: { limit: 500 } });
  const [shown, setShown] = useSearchText("pauses");
  const isNarrow = useIsNarrow();
  useRefresh(["workers", "jobs"], ["GET /pauses"]);
  if (pauses.data === undefined || pauses.data.items.length === 0) return null;
  const { items, total } = pauses.data;
  const first = isNarrow ? 0 : few;
  const all = shown === "all" || items.length <= first;
  const known = new Map(workers.map((worker) => [worker.id, worker]));
  const more = (
    <Button small kind="quiet" aria-expanded={all} onClick={() => setShown(all ? "" : "all")}>
      {all ? (isNarrow ? "Hide" : "Show few") : `Show all ${count(total)}`}
    </Button>
  );
  return (
    <Card flush title="Paused" aside={items.length > first ? more : plural(total, "pause")}>
      {(all || first > 0) && (
        <div className={style.bounded}>
          <Table
            label="Paused"
            testId="pause-list"
            rows={all ? items : items.slice(0, first)}
            keyOf={({ kind, name }) => `${kind} ${name}`}
            columns={columnsWith(known)}
          />
        </div>
      )}
    </Card>
  );
}

type Workers = ReadonlyMap<string, Worker>;

function columnsWith(workers: Workers): readonly Column<Pause>[] {
  return [
    { title: "What", show: (pause) => <Paused pause={pause} workers={workers} />, wide: true },
    { title: "By", show: ({ by }) => by, minor: true, tight: true },
    { title: "Note", show: ({ note }) => note ?? "", wide: true, minor: true },
    { title: "Since", show: ({ at }) => <Ago at={at} />, rare: true },
    { title: "Ends", show: ({ until }) => (until === null ? "when resumed" : <Ago at={until} />) },
    { title: "Act", show: (pause) => <Resume pause={pause} workers={workers} />, number: true },
  ];
}

interface OfPause {
  readonly pause: Pause;
  readonly workers: Workers;
}

function Paused({ pause: { kind, name }, workers }: OfPause) {
  const worker = workers.get(name);
  if (kind === "queue") return <span>queue {name}</span>;
  return (
    <span>
      {kind}{" "}
      {kind === "job" ? (
        <Link to="/jobs/$name" params={{ name }}>
          <JobName name={name} />
        </Link>
      ) : (
        <Link to="/fleet/$id" params={{ id: name }}>
          {worker === undefined ? name : nameOf(worker)}
        </Link>
      )}
    </span>
  );
}

function Resume({ pause, workers }: OfPause) {
  const may = useMay();
  const confirm = useConfirm();
  const { act, busy } = useAct<ResumeRoute>(changedByActs);
  const worker = pause.kind === "worker" ? workers.get(pause.name) : undefined;
  if (!(worker?.may.operate ?? may.administer)) return null;
  const what = `${pause.kind} ${worker === undefined ? pause.name : nameOf(worker)}`;
  async function resume(): Promise<void> {
    const text = "Tasks are given out again.";
    const sure = await confirm({ title: `Resume ${what}?`, text, confirm: "Resume", note: true });
    if (sure) await act(resumeOf(pause, sure.note ?? null), `Resumed ${what}`);
  }
  return (
    <Button small disabled={busy} onClick={() => void resume()} data-testid="pause-resume">
      Resume
    </Button>
  );
}

type ResumeRoute = "POST /workers/{worker_id}/resume" | "POST /jobs/{job_name+}/resume" | "POST /queues/{queue}/resume";

function resumeOf({ kind, name }: Pause, note: string | null): Ask<ResumeRoute> {
  if (kind === "job") return { route: "POST /jobs/{job_name+}/resume", params: { job_name: name }, body: { note } };
  if (kind === "queue") return { route: "POST /queues/{queue}/resume", params: { queue: name }, body: { note } };
  return { route: "POST /workers/{worker_id}/resume", params: { worker_id: name }, body: { note } };
}
