import { useAsk } from "../../api/queries.ts";
import type { Ask } from "../../api/routes.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Answered } from "../../parts/answered.tsx";
import { Severity } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { count } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";
import { WorkerLink } from "../task/worker-link.tsx";
import style from "./pulse.module.css";
import type { Pulse } from "./pulse.ts";

export const alertsAsked: Ask<"GET /alerts"> = { route: "GET /alerts", query: { limit: 6 } };

/** What workers want people to know: how many, and the last ones. */
export function Alerts({ counts, window }: { readonly counts: Pulse["alerts"]; readonly window: string }) {
  const alerts = useAsk(alertsAsked);
  useRefresh(["alerts"], ["GET /alerts"]);
  const urgent = counts.error + counts.critical;
  return (
    <Card title="Alerts" aside={`${urgent > 0 ? count(urgent) : "nothing"} urgent in ${window}`}>
      <Answered of={alerts}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No worker has raised an alert">
              Handlers raise them with <code>task.alert(…)</code>.
            </Empty>
          ) : (
            <ul className={style.alerts}>
              {items.map((alert) => (
                <li key={`${alert.worker_id}${alert.at}${alert.code}`}>
                  <Severity severity={alert.severity} />
                  <div>
                    <div>{alert.message}</div>
                    <small>
                      {alert.code} of <WorkerLink id={alert.worker_id} />, <Ago at={alert.at} />
                    </small>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </Card>
  );
}
