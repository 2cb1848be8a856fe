import { Link } from "@tanstack/react-router";
import { useAsk } from "../../api/queries.ts";
import type { Item } from "../../api/routes.ts";
import { useMay } from "../../api/session.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { useConfirm } from "../../parts/confirm.tsx";
import { ProgressBar } from "../../parts/progress.tsx";
import { duration, plural } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";
import { useAct } from "../../parts/toast.tsx";
import style from "./fleet.module.css";
import { nameOf, type Worker } from "./worker.ts";

type Plan = Item<"GET /drains">;

/** Plans that are not through: how far each is, and a way to stop it. */
export function Drains({ workers }: { readonly workers: readonly Worker[] }) {
  const plans = useAsk({ route: "GET /drains" });
  useRefresh(["workers"], ["GET /drains"]);
  if (plans.data === undefined || plans.data.items.length === 0) return null;
  return (
    <Card title="Draining some at a time" aside={plural(plans.data.items.length, "plan")}>
      <ul className={style.plans} data-testid="drain-list">
        {plans.data.items.map((plan) => (
          <PlanLine key={plan.id} plan={plan} workers={workers} />
        ))}
      </ul>
    </Card>
  );
}

function PlanLine({ plan, workers }: { readonly plan: Plan; readonly workers: readonly Worker[] }) {
  const may = useMay();
  const { stop, busy } = useStop(plan);
  const total = plan.waiting.length + plan.draining.length + plan.done.length;
  const deadline = plan.deadline_seconds === null ? "" : `, ${duration(plan.deadline_seconds * 1_000)} each`;
  return (
    <li data-testid="drain-row">
      <div>
        <strong>{plan.label}</strong> {plan.at_a_time} at a time{deadline}
        <p>
          by {plan.by}, <Ago at={plan.at} />
          {plan.note === null ? "" : `: ${plan.note}`}
        </p>
      </div>
      {may.act && (
        <Button small kind="danger" disabled={busy} onClick={() => void stop()} data-testid="drain-stop">
          Stop
        </Button>
      )}
      <div>
        <ProgressBar label={`Drained of ${plan.label}`} current={plan.done.length} total={total} message="drained" />
        {plan.draining.length > 0 && (
          <p>
            Now: <Names ids={plan.draining} workers={workers} />
          </p>
        )}
      </div>
    </li>
  );
}

const namesMax = 8;

function Names({ ids, workers }: { readonly ids: readonly string[]; readonly workers: readonly Worker[] }) {
  const known = new Map(workers.map((worker) => [worker.id, worker]));
  return (
    <>
      {ids.slice(0, namesMax).map((id, at) => (
        <span key={id}>
          {at > 0 && ", "}
          <Link to="/fleet/$id" params={{ id }}>
            {nameOf(known.get(id) ?? { id, name: null })}
          </Link>
        </span>
      ))}
      {ids.length > namesMax && ` and ${ids.length - namesMax} more`}
    </>
  );
}

function useStop(plan: Plan) {
  const confirm = useConfirm();
  const { act, busy } = useAct<"DELETE /drains/{drain_id}">(["GET /drains", "GET /workers"]);
  async function stop(): Promise<void> {
    const sure = await confirm({
      title: `Stop draining ${plan.label}?`,
      text: "Whoever drains already goes on with it; nobody else begins.",
      confirm: "Stop",
      danger: true,
    });
    if (sure) await act({ route: "DELETE /drains/{drain_id}", params: { drain_id: plan.id } }, "The plan was stopped");
  }
  return { stop, busy };
}
