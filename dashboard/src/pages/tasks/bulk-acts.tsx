// One act on all tasks that match: counted first, then asked for with a note, then done by the server in its own time.

import { useState } from "react";
import { ask } from "../../api/client.ts";
import { problemTitle, tellProblem } from "../../api/problem.ts";
import { outdate } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { useConfirm } from "../../parts/confirm.tsx";
import { plural } from "../../parts/text.ts";
import { useTell } from "../../parts/toast.tsx";
import { countAsk } from "./asks.ts";
import { actQuery } from "./query-terms.ts";
import type { Act } from "./task-item.ts";
import style from "./tasks-page.module.css";

type Verb = Act["act"];

const words = {
  cancel: { title: "Cancel", none: "No open task matches" },
  retry: { title: "Retry", none: "No task that ended matches" },
} as const;

/** An act that was begun here, and how many tasks there were to do it to. */
type Begun = (act: string, count: number) => void;

export function BulkActs({ query, onAct }: { readonly query: string; readonly onAct: Begun }) {
  const [busy, setBusy] = useState(false);
  const begin = useBegin(query, onAct);
  const act = (verb: Verb) => {
    setBusy(true);
    void begin(verb).finally(() => setBusy(false));
  };
  return (
    <>
      <Button small disabled={busy} data-testid="retry-all" onClick={() => act("retry")}>
        Retry all…
      </Button>
      <Button small disabled={busy} kind="danger" data-testid="cancel-all" onClick={() => act("cancel")}>
        Cancel all…
      </Button>
    </>
  );
}

function useBegin(query: string, onAct: Begun): (verb: Verb) => Promise<void> {
  const confirm = useConfirm();
  const tell = useTell();
  return async (act) => {
    const q = actQuery(act, query);
    try {
      const { count, exact } = await ask(countAsk(q));
      if (count === 0) return tell(words[act].none, q);
      const number = `${exact ? "" : "more than "}${plural(count, "task")}`;
      const sure = await confirm({
        title: `${words[act].title} ${number}?`,
        text: <Sure act={act} query={q} />,
        confirm: `${words[act].title} ${number}`,
        danger: act === "cancel",
        note: true,
      });
      if (sure === null) return;
      // What came while one was reading does not matter; twice as many as one agreed to would.
      const expect = exact ? { expect: count * 2 + 100 } : {};
      const body = { act, q, ...expect, ...(sure.note !== undefined && { note: sure.note }) };
      const begun = await ask({ route: "POST /tasks/acts", body });
      onAct(begun.id, count);
      outdate("GET /acts");
    } catch (error) {
      tell(problemTitle(error), tellProblem(error), "bad");
    }
  };
}

function Sure({ act, query }: { readonly act: Verb; readonly query: string }) {
  return (
    <div className={style.form}>
      <code className={style.said}>{query}</code>
      <p>
        {act === "cancel"
          ? "Every task that matches now is cancelled, with its open children. Those that come later are left alone."
          : "Every task that matches now is submitted again as a new task. Those that were run again already are left out."}
      </p>
    </div>
  );
}
