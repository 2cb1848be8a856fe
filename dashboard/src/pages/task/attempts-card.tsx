import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { Scrolled } from "../../parts/scrolled.tsx";
import { clockTime, duration } from "../../parts/text.ts";
import { useNow } from "../../parts/time.tsx";
import type { Attempt } from "./attempts.ts";
import style from "./task.module.css";
import { WorkerLink } from "./worker-link.tsx";

const shownMax = 20;

const lines: readonly (readonly [string, (attempt: Attempt) => ReactNode])[] = [
  [
    "Ended",
    ({ ending }) =>
      ending === null ? <Badge tone="running">going on</Badge> : <Badge tone={ending.tone}>{ending.text}</Badge>,
  ],
  ["Worker", ({ worker }) => (worker === null ? "–" : <WorkerLink id={worker} />)],
  ["Waited", ({ waitedMs }) => duration(waitedMs)],
  ["Ran", (attempt) => <Ran attempt={attempt} />],
  ["Begun", ({ claimedAt }) => clockTime(claimedAt, Date.now())],
  ["Progress", ({ progress }) => progress ?? "–"],
  ["Error", ({ error }) => (error === null ? "–" : <span className={style.wrong}>{error.slice(0, 1_000)}</span>)],
];

/** Each a column: what was different is seen along the line. */
export function AttemptsCard({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const shown = attempts.slice(-shownMax);
  const left = attempts.length - shown.length;
  return (
    <Card flush title="Attempts" aside={left > 0 ? `the last ${shown.length} of ${attempts.length}` : undefined}>
      <Scrolled className={style.scroll} aria-label="Attempts side by side">
        <table className={style.attempts} data-testid="attempts">
          <thead>
            <tr>
              <td />
              {shown.map(({ number }) => (
                <th key={number} scope="col">
                  Attempt {number}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map(([name, show]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {shown.map((attempt) => (
                  <td key={attempt.number}>{show(attempt)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </Card>
  );
}

function Ran({ attempt }: { readonly attempt: Attempt }) {
  const now = useNow();
  const from = Date.parse(attempt.startedAt ?? attempt.claimedAt);
  return duration(Math.max(0, (attempt.endedAt === null ? now : Date.parse(attempt.endedAt)) - from));
}
