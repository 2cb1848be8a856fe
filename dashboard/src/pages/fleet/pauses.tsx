import { Link } from "@tanstack/react-router";
import { useAsk } from "../../api/queries.ts";
import type { Ask, Item } from "../../api/routes.ts";
import { useMay } from "../../api/session.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { useConfirm } from "../../parts/confirm.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { count, plural } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";
import { useAct } from "../../parts/toast.tsx";
import { useSearchText } from "../../shell/search.ts";
import { changedByActs } from "./act-words.ts";
import style from "./fleet.module.css";
import { nameOf, type Worker } from "./worker.ts";

type Pause = Item<"GET /pauses">;

/** Of more, only these are shown at first: the tiles are what the page is for. */
const few = 3;

/** Whatever gets nothing new: jobs, queues and workers. */
export function Pauses({ workers }: { readonly workers: readonly Worker[] }) {
  const pauses = useAsk({ route: "GET /pauses", query: { limit: 500 } });
  const [shown, setShown] = useSearchText("pauses");
  useRefresh(["workers", "jobs"], ["GET /pauses"]);
  if (pauses.data === undefined || pauses.data.items.length === 0) return null;
  const { items, total } = pauses.data;
  const all = shown === "all" || items.length <= few;
  const names = new Map(workers.map((worker) => [worker.id, nameOf(worker)]));
  const more = (
    <Button small kind="quiet" aria-expanded={all} onClick={() => setShown(all ? "" : "all")}>
      {all ? "Show few" : `Show all ${count(total)}`}
    </Button>
  );
  return (
    <Card flush title="Paused" aside={items.length > few ? more : plural(total, "pause")}>
      <div className={style.bounded}>
        <Table
          label="Paused"
          testId="pause-list"
          rows={all ? items : items.slice(0, few)}
          keyOf={({ kind, name }) => `${kind} ${name}`}
          columns={columnsWith(names)}
        />
      </div>
    </Card>
  );
}

function columnsWith(names: ReadonlyMap<string, string>): readonly Column<Pause>[] {
  return [
    { title: "What", show: (pause) => <Paused pause={pause} names={names} />, wide: true },
    { title: "By", show: ({ by }) => by, minor: true, tight: true },
    { title: "Note", show: ({ note }) => note ?? "", wide: true, minor: true },
    { title: "Since", show: ({ at }) => <Ago at={at} />, rare: true },
    { title: "Ends", show: ({ until }) => (until === null ? "when resumed" : <Ago at={until} />) },
    { title: "Act", show: (pause) => <Resume pause={pause} names={names} />, number: true },
  ];
}

interface OfPause {
  readonly pause: Pause;
  readonly names: ReadonlyMap<string, string>;
}

function Paused({ pause: { kind, name }, names }: OfPause) {
  if (kind === "queue") return <span>queue {name}</span>;
  return (
    <span>
      {kind}{" "}
      {kind === "job" ? (
        <Link to="/jobs/$name" params={{ name }}>
          {name}
        </Link>
      ) : (
        <Link to="/fleet/$id" params={{ id: name }}>
          {names.get(name) ?? name}
        </Link>
      )}
    </span>
  );
}

function Resume({ pause, names }: OfPause) {
  const may = useMay();
  const confirm = useConfirm();
  const { act, busy } = useAct<ResumeRoute>(changedByActs);
  if (pause.kind === "worker" ? !may.act : !may.administer) return null;
  const what = `${pause.kind} ${names.get(pause.name) ?? pause.name}`;
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
