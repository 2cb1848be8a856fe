import { Link } from "@tanstack/react-router";
import { leadhandCommand } from "../../api/place.ts";
import { useAsk } from "../../api/queries.ts";
import type { Ask, Item } from "../../api/routes.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Answered } from "../../parts/answered.tsx";
import { Card } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { TextField } from "../../parts/field.tsx";
import filter from "../../parts/filter.module.css";
import { JobName } from "../../parts/job-name.tsx";
import { Page } from "../../parts/page.tsx";
import { Pager } from "../../parts/pager.tsx";
import { useRowKeys } from "../../parts/row-keys.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { byOurClock, shortId } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";
import { useFilterText, useSearchText } from "../../shell/search.ts";
import style from "./audit.module.css";

type Line = Item<"GET /audit">;

const pageSize = 100;

/** Who did what, to what, and why. */
export function AuditPage() {
  const [actor, setActor] = useFilterText("actor");
  const [action, setAction] = useFilterText("action");
  const [target, setTarget] = useFilterText("target");
  const [offset, setOffset] = useSearchText("offset", "0");
  const query = { actor, action, target, limit: pageSize, offset: Number(offset) || 0 };
  const asked: Ask<"GET /audit"> = { route: "GET /audit", query };
  // Not of every act anybody is told, as of those on tokens.
  const lines = useAsk(asked, { refetchInterval: 5_000 });
  useRowKeys("[data-testid=audit-list] tbody a");
  useRefresh(["tasks", "workers", "jobs"], ["GET /audit"], 2_000);
  const sought = actor !== "" || action !== "" || target !== "";
  return (
    <Page title="Audit" asked={asked} testId="audit">
      <search className={filter.filters}>
        <TextField label="Who" value={actor} onChange={(event) => setActor(event.currentTarget.value)} />
        <TextField
          label="Act"
          placeholder="worker.pause"
          value={action}
          onChange={(event) => setAction(event.currentTarget.value)}
        />
        <TextField label="To what" value={target} onChange={(event) => setTarget(event.currentTarget.value)} />
      </search>
      <Card flush title="What was done" aside="Superusers see every act, others their own.">
        <Answered of={lines}>
          {(page) =>
            page.items.length === 0 ? (
              <Nothing sought={sought} />
            ) : (
              <>
                <Table label="Acts" rows={page.items} columns={columns} keyOf={({ id }) => id} testId="audit-list" />
                <Pager page={page} onOffset={(next) => setOffset(String(next))} />
              </>
            )
          }
        </Answered>
      </Card>
    </Page>
  );
}

function Nothing({ sought }: { readonly sought: boolean }) {
  if (sought) return <Empty title="No act fits">Filters are whole words: `ada`, `worker.pause`, a task's id.</Empty>;
  return (
    <Empty title="Nobody has done anything yet" command={leadhandCommand('workers pause WORKER --note "new kernel"')}>
      Pauses, drains, cancels, retries and changes of tokens will be listed here, with who did them and why.
    </Empty>
  );
}

const columns: readonly Column<Line>[] = [
  { title: "When", show: (line) => <When {...line} /> },
  { title: "Who", show: ({ actor }) => actor, tight: true, minor: true },
  { title: "Did", show: ({ action }) => <code>{action}</code>, tight: true },
  { title: "To", show: (line) => <Target {...line} />, wide: true },
  { title: "Note", show: ({ note }) => note ?? "", wide: true, minor: true },
  { title: "More", show: ({ data }) => <More data={data} />, rare: true },
];

/** With who it was, where there is no room for a column of it. */
function When({ at, actor }: Pick<Line, "at" | "actor">) {
  return (
    <>
      <Ago at={at} />
      <div className={style.by}>{actor}</div>
    </>
  );
}

/** What else was written down; what is not there was not said. */
function More({ data }: Pick<Line, "data">) {
  const said = Object.entries((data ?? {}) as object).filter(([, value]) => value !== null);
  return (
    <dl className={style.more}>
      {said.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt> <dd title={wordsOf(value)}>{brief(wordsOf(value))}</dd>
        </div>
      ))}
    </dl>
  );
}

function wordsOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Ids and sums as far as they tell two apart. */
function brief(said: string): string {
  if (uuid.test(said)) return shortId(said);
  const text = byOurClock(said, Date.now());
  return text.length > 60 ? `${text.slice(0, text.startsWith("sha256:") ? 19 : 60)}…` : text;
}

function Target({ kind, target }: Pick<Line, "kind" | "target">) {
  const which = (
    <>
      {kind} <code>{shortId(target)}</code>
    </>
  );
  if (kind === "task") {
    return (
      <Link to="/tasks/$id" params={{ id: target }} title={target}>
        {which}
      </Link>
    );
  }
  if (kind === "worker") {
    return (
      <Link to="/fleet/$id" params={{ id: target }} title={target}>
        {which}
      </Link>
    );
  }
  if (kind === "job")
    return (
      <Link to="/jobs/$name" params={{ name: target }}>
        <JobName name={target} />
      </Link>
    );
  return <span>{`${kind} ${target}`}</span>;
}
