// One act on all tasks that match: counted first, then asked for with a note, then done by the server in its own time.

import { ask } from "../../api/client.ts";
import { problemTitle, tellProblem } from "../../api/problem.ts";
import { outdate } from "../../api/queries.ts";
import { type Session, useSession } from "../../api/session.ts";
import { useConfirm } from "../../parts/confirm.tsx";
import { useTell } from "../../parts/toast.tsx";
import { actTitle, type Counted, isSame, type Verb } from "./act-text.ts";
import { countAsk } from "./asks.ts";
import { quoted } from "./query-terms.ts";
import style from "./tasks-page.module.css";

/** An act that was begun here, and how many tasks there were to do it to. */
export type Begun = (act: string, count: number) => void;

export interface Wanted {
  readonly act: Verb;
  readonly q: string;
  /** What to say where nothing matches. */
  readonly none: string;
}

export function useBeginAct(onAct: Begun): (wanted: Wanted) => Promise<void> {
  const session = useSession();
  const confirm = useConfirm();
  const tell = useTell();
  return async ({ act, q, none }) => {
    try {
      const [all, own] = await Promise.all([ask(countAsk(q)), ownOf(session, act, q)]);
      if (all.count === 0) return tell(none, q);
      const title = actTitle(act, all, own);
      const sure = await confirm({
        title: `${title}?`,
        text: <Sure {...{ act, q, all, own, session }} />,
        confirm: title,
        danger: act === "cancel",
        note: true,
      });
      if (sure === null) return;
      // What came while one was reading does not matter; twice as many as one agreed to would.
      const expect = all.exact ? { expect: all.count * 2 + 100 } : {};
      const body = { act, q, ...expect, ...(sure.note !== undefined && { note: sure.note }) };
      const begun = await ask({ route: "POST /tasks/acts", body });
      onAct(begun.id, all.count);
      outdate("GET /acts");
    } catch (error) {
      tell(problemTitle(error), tellProblem(error), "bad");
    }
  };
}

/** Null: all are his to act on, as far as it can be counted. Anybody may run a task again; only some may cancel it. */
async function ownOf({ role, user }: Session, act: Verb, q: string): Promise<Counted | null> {
  if (act === "retry" || role === "admin") return null;
  return ask(countAsk(`${q} submitter:${quoted(user)}`));
}

interface SureProps extends Omit<Wanted, "none"> {
  readonly all: Counted;
  readonly own: Counted | null;
  readonly session: Session;
}

function Sure({ act, q, all, own, session: { rooms, jobs } }: SureProps) {
  return (
    <div className={style.form}>
      <code className={style.said}>{q}</code>
      <p>
        {act === "cancel"
          ? "Every task that matches now is cancelled, with its open children. Those that come later are left alone."
          : "Every task that matches now is submitted again as a new task. Those that were run again already are left out."}
      </p>
      {!all.exact && <p>There are too many to be counted in time: it may be many more than that.</p>}
      {own !== null && !isSame(own, all) && (
        <p>What others have submitted is left out, unless a worker of yours has it in hand.</p>
      )}
      {(rooms !== null || jobs !== null) && <p>What your token may not write to is left out too.</p>}
    </div>
  );
}
