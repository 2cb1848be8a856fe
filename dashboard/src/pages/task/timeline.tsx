import type { UseQueryResult } from "@tanstack/react-query";
import { Answered } from "../../parts/answered.tsx";
import { Card } from "../../parts/card.tsx";
import { clockTime, duration, plural } from "../../parts/text.ts";
import { type Chapter, chaptersOf, type Step } from "./history.ts";
import style from "./timeline.module.css";
import type { TaskHistory } from "./use-history.ts";
import { WorkerLink } from "./worker-link.tsx";

/** The whole of an error stands above. */
const detailMax = 1_000;

export function Timeline({ history }: { readonly history: UseQueryResult<TaskHistory, Error> }) {
  return (
    <Card title="History" aside={history.data && plural(history.data.total, "event")}>
      <Answered of={history} rows={6}>
        {({ events, left }) => (
          <div data-testid="timeline">
            {left > 0 && (
              <p className={style.left}>{plural(left, "event")} between the first and the last ones are left out.</p>
            )}
            {chaptersOf(events).map((chapter) => (
              <ChapterSteps key={`${chapter.attempt}-${chapter.steps[0]?.key}`} chapter={chapter} />
            ))}
          </div>
        )}
      </Answered>
    </Card>
  );
}

function ChapterSteps({ chapter }: { readonly chapter: Chapter }) {
  return (
    <section className={style.chapter}>
      {chapter.attempt > 0 && <h3>Attempt {chapter.attempt}</h3>}
      <ol className={style.steps}>
        {chapter.steps.map((step, at) => (
          <StepLine key={step.key} step={step} goesOn={step.worker === chapter.steps[at - 1]?.worker} />
        ))}
      </ol>
    </section>
  );
}

/** By whom is said once: it is the same one until another is named. */
function StepLine({ step, goesOn }: { readonly step: Step; readonly goesOn: boolean }) {
  const at = new Date(step.at);
  return (
    <li className={style.step} data-tone={step.tone} data-testid="timeline-step">
      <div className={style.what}>
        <strong>{step.title}</strong>
        {step.worker !== null && !goesOn && (
          <span className={style.by}>
            by <WorkerLink id={step.worker} />
          </span>
        )}
        {step.times > 1 && <span className={style.times}>{step.times} times</span>}
      </div>
      <time dateTime={step.at} title={at.toLocaleString()}>
        {step.gapMs === null ? clockTime(step.at, Date.now()) : `+${duration(step.gapMs)}`}
      </time>
      {step.detail && <p className={style.detail}>{step.detail.slice(0, detailMax)}</p>}
    </li>
  );
}
