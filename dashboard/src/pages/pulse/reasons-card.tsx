import { Link } from "@tanstack/react-router";
import { Card } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { byOurClock, count } from "../../parts/text.ts";
import { quoted } from "../tasks/query-terms.ts";
import style from "./pulse.module.css";
import type { Pulse } from "./pulse.ts";

/** Why tasks wait, the reason of the most first. */
export function ReasonsCard({ pulse: { reasons, waiting } }: { readonly pulse: Pulse }) {
  return (
    <Card
      title="Why tasks wait"
      aside={<Link to="/tasks" search={{ q: "state:ready" }}>{`${count(waiting.ready)} wait`}</Link>}
    >
      {reasons.length === 0 ? (
        <Empty title={waiting.ready === 0 ? "Nothing keeps tasks waiting" : "They are taken as they come"} />
      ) : (
        <ol className={style.reasons}>
          {reasons.map(({ code, text, tasks, job_name }) => (
            <li key={`${code} ${job_name}`}>
              <strong>{count(tasks)}</strong>
              <div>
                <div>{byOurClock(text, Date.now())}</div>
                <Link to="/tasks" search={{ q: `state:ready job:${quoted(job_name)}` }}>
                  {job_name}
                </Link>
              </div>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
