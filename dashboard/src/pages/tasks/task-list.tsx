import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { useAll } from "../../api/all-pages.ts";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/empty.tsx";
import { useIsNarrow } from "../../parts/narrow.ts";
import { useRowKeys } from "../../parts/row-keys.ts";
import { Scrolled } from "../../parts/scrolled.tsx";
import { Nothing } from "./nothing.tsx";
import style from "./task-list.module.css";
import { TaskRow } from "./task-row.tsx";
import { type ShownPages, topPixels } from "./use-task-pages.ts";

export interface TaskListProps extends ShownPages {
  readonly query: string;
  /** New tasks appear by themselves. */
  readonly follows: boolean;
  readonly onTop: (atTop: boolean) => void;
}

export function TaskList({ pages, view, query, follows, onTop }: TaskListProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const height = useIsNarrow() ? 60 : 36;
  const names = useWorkerNames();
  const virtual = useVirtualizer({
    count: view.rows,
    getScrollElement: () => scroll.current,
    estimateSize: () => height,
    overscan: 12,
    initialOffset: pages.scrolledTo,
  });
  const shown = virtual.getVirtualItems();
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0];
  useEffect(() => pages.show(first, last), [pages, first, last]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height, another list: measured and begun anew
  useEffect(() => virtual.measure(), [height]);
  // A list that is come back to is where it was left; another query begins at its top.
  useLayoutEffect(() => {
    scroll.current?.scrollTo({ top: pages.scrolledTo });
  }, [pages]);
  useRowKeys("[data-testid=task-row] a");
  const showFresh = () => {
    scroll.current?.scrollTo({ top: 0 });
    void pages.look(true);
  };

  if (view.error !== null && view.rows === 0) {
    return <Trouble error={view.error} again={() => void pages.goOn()} />;
  }
  if (view.rows === 0 && !view.loading && view.more === "none") return <Nothing query={query} />;
  return (
    <div className={style.card}>
      {view.fresh > 0 && !follows && <Fresh {...view} onShow={showFresh} />}
      <Scrolled
        ref={scroll}
        className={style.scroll}
        data-testid="task-list"
        aria-label="List of tasks"
        aria-busy={view.loading}
        onScroll={(event) => {
          pages.scrolledTo = event.currentTarget.scrollTop;
          onTop(pages.scrolledTo < topPixels);
        }}
      >
        <Heads />
        <ul className={style.rows} style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const task = pages.rowAt(index);
            const worker = task?.worker_id == null ? undefined : names.get(task.worker_id);
            return <TaskRow key={task?.id ?? index} task={task} index={index} top={start} workerName={worker} />;
          })}
        </ul>
        <End pages={pages} view={view} />
      </Scrolled>
    </div>
  );
}

/** For the eye: each row says the same in its own words. */
function Heads() {
  const titles = ["State", "Job", "Note", "Room", "Worker", "Time", "Created", "Id"];
  return (
    <div aria-hidden="true" className={style.heads}>
      {titles.map((title) => (
        <span key={title}>{title}</span>
      ))}
    </div>
  );
}

function Fresh(props: { readonly fresh: number; readonly freshExact: boolean; readonly onShow: () => void }) {
  return (
    <Button small kind="main" className={style.fresh} data-testid="fresh" onClick={props.onShow}>
      ↑ {props.fresh}
      {props.freshExact ? "" : "+"} new
    </Button>
  );
}

function End({ pages, view }: ShownPages) {
  if (view.error !== null) return <Trouble error={view.error} again={() => void pages.goOn()} />;
  if (view.loading && view.rows === 0) return <Ghosts />;
  if (view.more === "ask" && view.scannedThrough !== null) {
    return (
      <div className={style.end} data-testid="scanned-through">
        Searched back to {new Date(view.scannedThrough).toLocaleString()}
        <Button small disabled={view.loading} onClick={() => void pages.goOn()}>
          {view.loading ? "Searching…" : "Go on"}
        </Button>
      </div>
    );
  }
  return <div className={style.end}>{view.more === "none" ? "That is all" : "Loading more…"}</div>;
}

/** In the shape of rows, and only when it takes a moment: most answers are faster than an eye. */
function Ghosts() {
  return (
    <div className={style.ghosts} role="status" aria-label="Loading">
      {Array.from({ length: 12 }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div key={row}>
          <span className={style.ghost} />
        </div>
      ))}
    </div>
  );
}

function useWorkerNames(): ReadonlyMap<string, string> {
  const workers = useAll("GET /workers", { refetchInterval: 60_000 });
  return useMemo(
    () => new Map(workers?.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const]))),
    [workers],
  );
}
