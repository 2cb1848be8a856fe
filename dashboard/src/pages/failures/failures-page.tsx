import { useState } from "react";
import { leadhandCommand } from "../../api/place.ts";
import { useAsk } from "../../api/queries.ts";
import type { Ask } from "../../api/routes.ts";
import { useMay } from "../../api/session.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Answered } from "../../parts/answered.tsx";
import { Card } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Choice, TextField } from "../../parts/field.tsx";
import filter from "../../parts/filter.module.css";
import { Page } from "../../parts/page.tsx";
import { Pager } from "../../parts/pager.tsx";
import { useRowKeys } from "../../parts/row-keys.ts";
import { plural } from "../../parts/text.ts";
import { useFilterText, useSearchText } from "../../shell/search.ts";
import { type Window, windows } from "../pulse/pulse.ts";
import { ActBars, type OwnActs } from "../tasks/act-bars.tsx";
import { FailureRow } from "./failure-row.tsx";
import style from "./failures.module.css";
import type { FailurePage } from "./failures.ts";

const orders = ["newest first", "most first"] as const;

/** What goes wrong, the same things together. */
export function FailuresPage() {
  const [window, setWindow] = useFilterText("window", "24h");
  const [job, setJob] = useFilterText("job");
  const [sort, setSort] = useFilterText("sort", "newest first");
  const [offset, setOffset] = useSearchText("offset", "0");
  const query = {
    window: window as Window,
    job,
    sort: sort === "most first" ? ("tasks" as const) : ("last" as const),
    limit: 50,
    offset: Number(offset) || 0,
  };
  const asked: Ask<"GET /failures"> = { route: "GET /failures", query };
  const failures = useAsk(asked);
  useRowKeys("[data-testid=failure-row] a[data-row]");
  useRefresh(["tasks"], ["GET /failures"], 3_000);
  return (
    <Page
      title="Failures"
      asked={asked}
      testId="failures"
      actions={<Choice label="Window" value={window as Window} options={windows} onChange={setWindow} />}
    >
      <search className={filter.filters}>
        <TextField
          label="Job"
          placeholder="room:category:name"
          value={job}
          onChange={(event) => setJob(event.currentTarget.value)}
        />
        <div>
          <Choice label="Order" value={sort as (typeof orders)[number]} options={orders} onChange={setSort} />
        </div>
      </search>
      <Answered of={failures}>
        {(page) => <Groups page={page} job={job} window={window} onOffset={(next) => setOffset(String(next))} />}
      </Answered>
    </Page>
  );
}

interface GroupsProps {
  readonly page: FailurePage;
  readonly job: string;
  readonly window: string;
  readonly onOffset: (offset: number) => void;
}

function Groups({ page, job, window, onOffset }: GroupsProps) {
  const may = useMay();
  const [own, setOwn] = useState<OwnActs>({});
  const tasks = plural(
    page.items.reduce((sum, { tasks: own }) => sum + own, 0),
    "task",
  );
  const isAll = page.items.length === page.total;
  return (
    <>
      <ActBars own={own} />
      <Card
        flush
        title={plural(page.total, "kind of failure", "kinds of failures")}
        aside={isAll ? `${tasks} failed in ${window}` : `${tasks} of those shown, in ${window}`}
      >
        {page.items.length === 0 ? (
          <Nothing job={job} window={window} />
        ) : (
          <ul className={style.groups} data-testid="failure-list">
            {page.items.map((failure) => (
              <FailureRow
                key={failure.fingerprint}
                {...{ failure, window }}
                mayAct={may.act}
                onAct={(act, number) => setOwn((known) => ({ ...known, [act]: number }))}
              />
            ))}
          </ul>
        )}
        <Pager page={page} onOffset={onOffset} />
      </Card>
    </>
  );
}

function Nothing({ job, window }: Pick<GroupsProps, "job" | "window">) {
  if (job !== "") {
    return (
      <Empty title={`Nothing of this job has failed in ${window}`}>
        The whole name of a job is looked for, as in <code>room:category:name</code>.
      </Empty>
    );
  }
  return (
    <Empty title={`Nothing has failed in ${window}`} command={leadhandCommand("tasks --query state:failed")}>
      Failures with the same words, but for ids, numbers and names, will stand here together, with one button to retry
      them all.
    </Empty>
  );
}
