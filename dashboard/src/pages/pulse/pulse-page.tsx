import { Link } from "@tanstack/react-router";
import { Answered } from "../../parts/answered.tsx";
import { Card, Figure, Grid, Figures as Six, Thirds } from "../../parts/card.tsx";
import { Choice } from "../../parts/field.tsx";
import { FirstSteps } from "../../parts/lesson.tsx";
import { Page } from "../../parts/page.tsx";
import { count, duration, percent, plural } from "../../parts/text.ts";
import { HowLong } from "../../parts/time.tsx";
import { Alerts, alertsAsked } from "./alerts.tsx";
import { ThroughputChart, TimesChart } from "./charts.tsx";
import { FleetCard } from "./fleet-card.tsx";
import { type Pulse, type Window, windows } from "./pulse.ts";
import { ReasonsCard } from "./reasons-card.tsx";
import { usePulse } from "./use-pulse.ts";

/** How the work goes, on one screen. */
export function PulsePage() {
  const { asked, pulse, window, setWindow } = usePulse();
  return (
    <Page
      title="Pulse"
      asked={[asked, alertsAsked]}
      testId="pulse"
      actions={<Choice label="Window" value={window} options={windows} onChange={setWindow} />}
    >
      <Answered of={pulse} rows={10}>
        {(now) => (
          <>
            <Figures pulse={now} window={window} />
            {isNew(now) && <Start />}
            <Grid min={420}>
              <Card title="Tasks that came and ended" aside={`in steps of ${duration(now.step_seconds * 1_000)}`}>
                <ThroughputChart pulse={now} />
              </Card>
              <Card title="How long they waited and ran">
                <TimesChart pulse={now} />
              </Card>
            </Grid>
            <Thirds>
              <FleetCard fleet={now.fleet} />
              <ReasonsCard pulse={now} />
              <Alerts counts={now.alerts} window={windowOf(now)} />
            </Thirds>
          </>
        )}
      </Answered>
    </Page>
  );
}

/** Of what was answered: what was asked for since may be another. */
function windowOf({ window_seconds }: Pulse): string {
  return duration(window_seconds * 1_000);
}

function Figures({ pulse, window }: { readonly pulse: Pulse; readonly window: Window }) {
  const { totals, waiting } = pulse;
  const ended = totals.completed + totals.failed;
  const failing = ended === 0 ? null : totals.failed / ended;
  const perSecond = rateOf(pulse);
  return (
    <Six>
      <Figure
        label="Throughput"
        testId="pulse-throughput"
        value={`${perSecond < 10 ? perSecond.toFixed(1) : count(Math.round(perSecond))} /s`}
        hint={`now; ${count(totals.completed)} done in ${windowOf(pulse)}`}
      />
      <Figure
        label="Failure rate"
        value={percent(failing)}
        hint={<Failed number={totals.failed} window={window} />}
        {...(failing !== null && failing > 0.05 && { tone: "bad" })}
      />
      <Figure
        label="Wait"
        value={duration(totals.wait_p95_ms)}
        hint={`p95; half within ${duration(totals.wait_p50_ms)}`}
      />
      <Figure
        label="Run"
        value={duration(totals.run_p95_ms)}
        hint={`p95; half within ${duration(totals.run_p50_ms)}`}
      />
      <Figure
        label="Waiting"
        value={count(waiting.ready)}
        hint={`${count(waiting.held + waiting.deferred)} under way, ${count(waiting.delayed)} later`}
      />
      <Figure
        label="Oldest waiting"
        value={<HowLong since={waiting.oldest_ready_at} />}
        hint={<Oldest id={waiting.oldest_task_id} />}
      />
    </Six>
  );
}

/** By the step that is not over yet and the one before it; by the first alone where nothing happened before. */
function rateOf({ points, step_seconds, now }: Pulse): number {
  const [before, current] = points.slice(-2).map(({ completed, failed }) => completed + failed);
  const elapsed = Math.max(1, (Date.parse(now) - Date.parse(points.at(-1)?.at ?? now)) / 1_000);
  if (!before) return (current ?? 0) / elapsed;
  return (before + (current ?? 0)) / (step_seconds + elapsed);
}

function Failed({ number, window }: { readonly number: number; readonly window: Window }) {
  const tasks = plural(number, "task");
  if (number === 0) return tasks;
  return (
    <Link to="/failures" search={{ window }}>
      {tasks}: why?
    </Link>
  );
}

function Oldest({ id }: { readonly id: string | null }) {
  if (id === null) return "Nobody waits";
  return (
    <Link to="/tasks/$id" params={{ id }}>
      Why does it wait?
    </Link>
  );
}

function isNew({ totals, fleet, waiting }: Pulse): boolean {
  return totals.submitted === 0 && fleet.online === 0 && waiting.ready === 0;
}

function Start() {
  return (
    <Card title="Nothing happens here yet">
      <FirstSteps about="Three steps to see a task move: its job, a worker that does it, and the task." />
    </Card>
  );
}
