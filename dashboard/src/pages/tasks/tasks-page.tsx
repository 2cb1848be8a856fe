import { useEffect, useState } from "react";
import { Refusal } from "../../api/problem.ts";
import { useAsk } from "../../api/queries.ts";
import { useMay } from "../../api/session.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Button } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { count, plural } from "../../parts/text.ts";
import { useSearchText } from "../../shell/search.ts";
import { ActBars, type OwnActs } from "./act-bars.tsx";
import { countAsk, tasksAsk } from "./asks.ts";
import { BulkActs } from "./bulk-acts.tsx";
import { QueryBar } from "./query-bar.tsx";
import { QueryHelp } from "./query-help.tsx";
import { withState } from "./query-terms.ts";
import { SavedViews } from "./saved-views.tsx";
import { StateChips } from "./state-chips.tsx";
import type { TaskCount } from "./task-item.ts";
import { TaskList } from "./task-list.tsx";
import style from "./tasks-page.module.css";
import { useTaskPages } from "./use-task-pages.ts";

export function TasksPage() {
  const may = useMay();
  const [query, setQuery] = useSearchText("q");
  const [tail, setTail] = useSearchText("tail", "on");
  const focus = useFocus();
  const [atTop, setAtTop] = useState(true);
  const [own, setOwn] = useState<OwnActs>({});
  const follows = atTop && tail === "on";
  const { pages, view } = useTaskPages(query, follows);
  const problem = queryProblem(view.error);
  const { all, matching } = useCounts(query, problem === null);
  return (
    <Page
      full
      title="Tasks"
      testId="tasks"
      head={
        <h1 className={style.title}>
          Tasks <small data-testid="matching">{matching && problem === null && tellCount(matching)}</small>
        </h1>
      }
      asked={tasksAsk(query, null)}
      actions={
        <>
          <Button
            small
            aria-pressed={tail === "on"}
            className={style.tail}
            data-testid="tail"
            title="New tasks appear on top while the list is scrolled there"
            onClick={() => setTail(tail === "on" ? "off" : "on")}
          >
            <i aria-hidden="true" /> Tail
          </Button>
          {may.act && (
            <BulkActs
              query={query}
              readable={problem === null}
              onAct={(act, number) => setOwn({ ...own, [act]: number })}
            />
          )}
        </>
      }
    >
      <QueryBar query={query} onQuery={setQuery} problem={problem} focus={focus} />
      <div className={style.filters}>
        <StateChips query={query} onQuery={setQuery} counted={all} />
        <SavedViews query={query} onQuery={setQuery} />
      </div>
      <ActBars own={own} />
      {problem === null ? <TaskList {...{ pages, view, query, follows }} onTop={setAtTop} /> : <Unread />}
    </Page>
  );
}

function Unread() {
  return (
    <div className={style.rest}>
      <QueryHelp />
    </div>
  );
}

/** The key for search may have brought us here. */
function useFocus(): boolean {
  const [focus, setFocus] = useSearchText("focus");
  const [wanted, setWanted] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is asked for
  useEffect(() => {
    if (focus === "") return;
    setWanted(true);
    setFocus("");
  }, [focus]);
  return wanted;
}

interface Counts {
  /** Whatever their state. */
  readonly all: TaskCount | undefined;
  readonly matching: TaskCount | undefined;
}

/** Where counting takes the server long, it is asked for less often. */
function useCounts(query: string, readable: boolean): Counts {
  // Never the number of another query: it stands beside the buttons that act on all that match.
  const options = { retry: false, enabled: readable, placeholderData: () => undefined };
  const { data: all } = useAsk(countAsk(withState(query, "")), options);
  const { data: matching } = useAsk(countAsk(query), options);
  const isFast = [all, matching].every((counted) => counted === undefined || counted.exact);
  useRefresh(["tasks"], ["GET /tasks/count"], isFast ? 3_000 : 30_000);
  return { all, matching };
}

function tellCount({ count: number, exact }: TaskCount): string {
  return exact ? plural(number, "task") : `more than ${count(number)}`;
}

/** What is wrong with the query itself: that is said where it is written. */
function queryProblem(error: unknown): string | null {
  if (!(error instanceof Refusal) || error.status !== 422) return null;
  return error.errors[0]?.detail ?? error.message;
}
