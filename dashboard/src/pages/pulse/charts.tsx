import { Chart } from "../../parts/chart.tsx";
import { spanSteps } from "../../parts/chart-steps.ts";
import { count, duration } from "../../parts/text.ts";
import type { Pulse } from "./pulse.ts";

interface Props {
  readonly pulse: Pulse;
}

export function ThroughputChart({ pulse: { points } }: Props) {
  return (
    <Chart
      label="How many tasks were submitted, completed, failed and were lost with their worker over time"
      times={timesOf(points)}
      show={count}
      unfinished
      series={[
        { label: "completed", color: "completed", fill: true, values: points.map(({ completed }) => completed) },
        { label: "failed", color: "failed", fill: true, values: points.map(({ failed }) => failed) },
        { label: "submitted", color: "running", values: points.map(({ submitted }) => submitted) },
        { label: "lost", color: "warning", values: points.map(({ lost }) => lost) },
      ]}
    />
  );
}

export function TimesChart({ pulse: { points } }: Props) {
  return (
    <Chart
      label="How long tasks waited and ran over time, at the 95th percentile and in the middle"
      times={timesOf(points)}
      show={duration}
      steps={spanSteps}
      unfinished
      series={[
        { label: "wait p95", color: "claimed", values: points.map(({ wait_p95_ms }) => wait_p95_ms) },
        { label: "wait p50", color: "pending", values: points.map(({ wait_p50_ms }) => wait_p50_ms) },
        { label: "run p95", color: "running", values: points.map(({ run_p95_ms }) => run_p95_ms) },
        { label: "run p50", color: "completed", values: points.map(({ run_p50_ms }) => run_p50_ms) },
      ]}
    />
  );
}

function timesOf(points: Pulse["points"]): readonly number[] {
  return points.map(({ at }) => Date.parse(at) / 1_000);
}
