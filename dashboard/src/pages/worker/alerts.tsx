import { Link } from "@tanstack/react-router";
import { useAsk } from "../../api/queries.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Severity } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { plural } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";
import style from "./worker.module.css";

/** What it wants people to know; nothing is shown where there is nothing. */
export function Alerts({ id }: { readonly id: string }) {
  const alerts = useAsk({ route: "GET /alerts", query: { worker_id: id, limit: 10 } });
  useRefresh(["alerts"], ["GET /alerts"]);
  if (alerts.data === undefined || alerts.data.items.length === 0) return null;
  return (
    <Card title="Alerts" aside={plural(alerts.data.total, "alert")}>
      <ul className={style.alerts} data-testid="alert-list">
        {alerts.data.items.map(({ at, severity, code, message, task_id }) => (
          <li key={`${at} ${code} ${message}`}>
            <div>
              <Severity severity={severity} /> <code>{code}</code> <Ago at={at} />
            </div>
            <p>
              {message}{" "}
              {task_id !== null && (
                <Link to="/tasks/$id" params={{ id: task_id }}>
                  the task
                </Link>
              )}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
