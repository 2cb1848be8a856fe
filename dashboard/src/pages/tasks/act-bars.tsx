import { useState } from "react";
import { useAsk } from "../../api/queries.ts";
import { useMay, useSession } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { ProgressBar } from "../../parts/progress.tsx";
import { useAct } from "../../parts/toast.tsx";
import { actProgress } from "./act-text.ts";
import type { Act } from "./task-item.ts";
import style from "./tasks-page.module.css";

/** Of acts that were begun here: how many tasks each was to be done to. */
export type OwnActs = Readonly<Record<string, number>>;

/** Acts that are under way, whoever began them, and how those ended that were begun here. */
export function ActBars({ own }: { readonly own: OwnActs }) {
  const [dismissed, setDismissed] = useState<readonly string[]>([]);
  const { data } = useAsk(
    { route: "GET /acts" },
    { refetchInterval: ({ state }) => (state.data?.items.some(isBusy) ? 1_000 : 15_000) },
  );
  const acts = data?.items ?? [];
  const shown = acts.filter(({ id, state }) => !dismissed.includes(id) && (state === "running" || id in own));
  if (shown.length === 0) return null;
  return (
    <div className={style.acts}>
      {shown.slice(0, 4).map((act) => (
        <ActBar key={act.id} act={act} expected={own[act.id]} onDismiss={() => setDismissed([...dismissed, act.id])} />
      ))}
    </div>
  );
}

function isBusy({ state }: Act): boolean {
  return state === "running";
}

interface ActBarProps {
  readonly act: Act;
  readonly expected: number | undefined;
  readonly onDismiss: () => void;
}

/** How many there are is known in the end, and before that to whoever had them counted. */
function totalOf({ state }: Act, worked: number, expected: number | undefined): number | null {
  if (state === "done") return worked;
  if (expected !== undefined) return Math.max(expected, worked);
  return state === "running" ? null : worked;
}

function ActBar({ act, expected, onDismiss }: ActBarProps) {
  const { act: stop, busy } = useAct<"DELETE /acts/{act_id}">(["GET /acts"]);
  const may = useMay();
  const { user } = useSession();
  const runs = act.state === "running";
  const verb = { cancel: "Cancelling", retry: "Retrying" }[act.act];
  const worked = act.done + act.skipped + act.failed;
  return (
    <div className={style.act} data-testid="act" data-state={act.state}>
      <div className={style.actText}>
        <strong>{runs ? verb : { done: "Done", stopped: "Stopped" }[act.state as "done" | "stopped"]}</strong>
        <code title={act.q}>{act.q}</code>
        <span>by {act.by}</span>
      </div>
      <ProgressBar
        label={`${verb} ${act.q}`}
        current={worked}
        total={totalOf(act, worked, expected)}
        message={actProgress(act)}
      />
      {runs && (may.administer || (may.act && act.by === user)) && (
        <Button
          small
          disabled={busy}
          data-testid="stop-act"
          onClick={() => void stop({ route: "DELETE /acts/{act_id}", params: { act_id: act.id } }, "Stopped")}
        >
          Stop
        </Button>
      )}
      {!runs && (
        <Button small kind="quiet" aria-label="Dismiss" onClick={onDismiss}>
          ×
        </Button>
      )}
      {act.errors.length > 0 && (
        <p className={style.actErrors} title={act.errors.map(({ detail }) => detail).join("\n")}>
          {act.errors[0]?.code}: {act.errors[0]?.detail}
        </p>
      )}
    </div>
  );
}
