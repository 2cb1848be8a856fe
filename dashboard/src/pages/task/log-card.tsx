import { type RefObject, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Empty, Loading, Trouble } from "../../parts/empty.tsx";
import { Choice } from "../../parts/field.tsx";
import { Scrolled } from "../../parts/scrolled.tsx";
import { count, plural } from "../../parts/text.ts";
import { useSearchText } from "../../shell/search.ts";
import style from "./log.module.css";
import type { LogLine, TaskLog } from "./task-log.ts";

const levels = ["all", "info", "warn", "error"] as const;
const ranks: Readonly<Record<string, number>> = { debug: 0, info: 1, warn: 2, warning: 2, error: 3 };

export function LogCard({ log, live }: { readonly log: TaskLog; readonly live: boolean }) {
  const view = useSyncExternalStore(log.watch, log.view);
  const [sought, setSought] = useSearchText("log");
  const [level, setLevel] = useSearchText("level", "all");
  const shown = view.lines.filter((line) => isSought(line, sought, level));
  const { place, follows, onScroll, toEnd } = useFollow(shown.at(-1)?.nth);
  if (view.error !== null && view.lines.length === 0)
    return <Trouble error={view.error} again={() => void log.newer()} />;
  return (
    <Card
      flush
      title="Log"
      aside={
        <div className={style.tools}>
          <input
            type="search"
            className={style.seek}
            aria-label="Search in the log"
            placeholder="Search"
            value={sought}
            onChange={(event) => setSought(event.currentTarget.value)}
          />
          <Choice label="Least level" options={levels} value={levelOf(level)} onChange={setLevel} />
        </div>
      }
    >
      {view.lines.length === 0 ? (
        view.loading ? (
          <Loading rows={3} />
        ) : (
          <NoLines live={live} />
        )
      ) : (
        <div className={style.frame}>
          <Lines place={place} onScroll={onScroll} lines={shown} sought={sought} before={view.before} log={log} />
          <footer className={style.foot}>
            <span>
              {shown.length === view.lines.length
                ? plural(shown.length, "line")
                : `${count(shown.length)} of ${plural(view.lines.length, "line")}`}
            </span>
            {view.hasNewer && (
              <Button small onClick={() => void log.newer()}>
                Newer lines
              </Button>
            )}
            <Button small kind="quiet" aria-pressed={follows} disabled={follows} onClick={toEnd}>
              {follows ? (live ? "Following the end" : "At the end") : "↓ To the end"}
            </Button>
          </footer>
        </div>
      )}
    </Card>
  );
}

interface LinesProps {
  readonly place: RefObject<HTMLElement | null>;
  readonly onScroll: () => void;
  readonly lines: readonly LogLine[];
  readonly sought: string;
  readonly before: number;
  readonly log: TaskLog;
}

function Lines({ place, onScroll, lines, sought, before, log }: LinesProps) {
  return (
    <Scrolled ref={place} className={style.lines} onScroll={onScroll} aria-label="Lines of the log" data-testid="log">
      {before > 0 && (
        <Button small kind="quiet" className={style.older} onClick={() => void log.older()}>
          {count(before)} before that: show more
        </Button>
      )}
      {lines.map((line) => (
        <Line key={line.nth} line={line} sought={sought} />
      ))}
      {lines.length === 0 && <p className={style.none}>No line is like that.</p>}
    </Scrolled>
  );
}

function Line({ line, sought }: { readonly line: LogLine; readonly sought: string }) {
  const at = new Date(line.at);
  const fields = line.fields === undefined ? "" : JSON.stringify(line.fields).slice(0, 2_000);
  return (
    <div className={style.line} data-level={line.level} data-testid="log-line">
      <time dateTime={line.at} title={`${at.toLocaleString()}, attempt ${line.attempt}`}>
        {at.toLocaleTimeString("en-GB")}.{String(at.getMilliseconds()).padStart(3, "0")}
      </time>
      <b>{line.level}</b>
      <span>
        {line.event !== undefined && <em>{line.event} </em>}
        <Marked text={line.message} sought={sought} />
        {fields !== "" && <small> {fields}</small>}
      </span>
    </div>
  );
}

function Marked({ text, sought }: { readonly text: string; readonly sought: string }) {
  const at = sought === "" ? -1 : text.toLowerCase().indexOf(sought.toLowerCase());
  if (at < 0) return text;
  const end = at + sought.length;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  );
}

function NoLines({ live }: { readonly live: boolean }) {
  return (
    <Empty title={live ? "No lines yet" : "It wrote no lines"}>
      Handlers write here with <code>context.log.info(…)</code>, from any language with{" "}
      <code>POST /v1/tasks/…/logs</code>.
    </Empty>
  );
}

/** Stays at the end as lines come, unless somebody has scrolled up to read. */
function useFollow(last: number | undefined) {
  const place = useRef<HTMLElement>(null);
  const [follows, setFollows] = useState(true);
  const toEnd = () => {
    const element = place.current;
    if (element) element.scrollTop = element.scrollHeight;
    setFollows(true);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: when there is another last line
  useLayoutEffect(() => {
    if (follows) toEnd();
  }, [last]);
  function onScroll(): void {
    const element = place.current;
    if (element) setFollows(element.scrollHeight - element.scrollTop - element.clientHeight < 24);
  }
  return { place, follows, onScroll, toEnd };
}

function isSought({ message, event, level }: LogLine, sought: string, least: string): boolean {
  if ((ranks[level] ?? 1) < (ranks[least] ?? 0)) return false;
  return sought === "" || `${event ?? ""} ${message}`.toLowerCase().includes(sought.toLowerCase());
}

function levelOf(text: string): (typeof levels)[number] {
  return levels.find((level) => level === text) ?? "all";
}
