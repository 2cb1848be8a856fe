import { useAsk } from "../../api/queries.ts";
import { useFeed } from "../../live/use-live.ts";
import { Answered } from "../../parts/answered.tsx";
import { Card, Grid } from "../../parts/card.tsx";
import { Chart } from "../../parts/chart.tsx";
import { byteSteps } from "../../parts/chart-steps.ts";
import { Empty } from "../../parts/empty.tsx";
import { bytes, duration, plural } from "../../parts/text.ts";
import { useNow } from "../../parts/time.tsx";
import { type Beats, beatKinds, carried, countKinds, everyOf, heightOf, kindOf } from "./beats.ts";
import style from "./heartbeat.module.css";
import type { WorkerDetail } from "./worker-page.tsx";

/** Each of the last beats as a bar: as high as the silence before it was long. */
export function HeartbeatCard({ worker: { id, status } }: { readonly worker: WorkerDetail }) {
  const { state } = useFeed();
  const beats = useAsk(
    { route: "GET /workers/{worker_id}/beats", params: { worker_id: id } },
    { refetchInterval: ({ state: { data } }) => (state === "paused" ? false : paceOf(data)) },
  );
  const aside = beats.data && `one every ${duration(everyOf(beats.data))} is expected`;
  return (
    <Card title="Heartbeat" aside={aside}>
      <Answered of={beats} rows={5}>
        {(heard) =>
          heard.items.length === 0 ? <Unheard heardHere={heard.heard_here} /> : <Heard beats={heard} status={status} />
        }
      </Answered>
    </Card>
  );
}

function paceOf(beats: Beats | undefined): number {
  return beats === undefined ? 2_000 : Math.min(5_000, Math.max(1_000, everyOf(beats)));
}

function Unheard({ heardHere }: { readonly heardHere: boolean }) {
  return (
    <Empty title="No beat was heard here">
      {heardHere
        ? "Beats are remembered from the second one on."
        : "Each server remembers the beats it hears itself, since its start: this worker may speak to another one."}
    </Empty>
  );
}

interface HeardProps {
  readonly beats: Beats;
  readonly status: WorkerDetail["status"];
}

function Heard({ beats, status }: HeardProps) {
  const { items } = beats;
  const times = items.map(({ at }) => Date.parse(at) / 1_000);
  const [lag, cpu, memory] = [
    carried(
      items.map((beat) => beat.loop_lag_ms),
      status.loopLagMs,
    ),
    carried(
      items.map((beat) => beat.cpu_percent),
      status.cpuPercent,
    ),
    carried(
      items.map((beat) => beat.ram_bytes),
      status.ramBytes,
    ),
  ];
  const charts = [
    { label: "Loop lag", color: "claimed", values: lag, show: (ms: number) => `${ms} ms` },
    { label: "CPU", color: "running", values: cpu, show: (share: number) => `${share} %` },
    { label: "Memory", color: "completed", values: memory, show: bytes, steps: byteSteps },
  ];
  const told = charts.filter(({ values }) => values.some((value) => value !== null));
  return (
    <div className={style.heard}>
      <Strip beats={beats} />
      {told.length > 0 && (
        <Grid min={250}>
          {told.map(({ label, color, values, ...marks }) => (
            <Chart
              key={label}
              label={`${label} at each beat`}
              times={times}
              series={[{ label, color, values, fill: true }]}
              {...marks}
              height={110}
            />
          ))}
        </Grid>
      )}
    </div>
  );
}

function Strip({ beats }: { readonly beats: Beats }) {
  const every = everyOf(beats);
  const counts = countKinds(beats);
  const said = beatKinds.map((kind) => `${counts[kind]} ${kind}`).join(", ");
  return (
    <div>
      <div
        className={style.strip}
        role="img"
        aria-label={`${plural(beats.items.length, "beat")}: ${said}`}
        data-testid="beat-strip"
      >
        {beats.items.map(({ at, gap_ms }) => (
          <Bar key={at} gap={gap_ms ?? every} every={every} title={new Date(at).toLocaleTimeString()} />
        ))}
        <Silence since={beats.items.at(-1)?.at ?? ""} every={every} />
      </div>
      <ul className={style.legend}>
        {beatKinds.map((kind) => (
          <li key={kind} data-kind={kind}>
            <i aria-hidden="true" />
            <b>{counts[kind]}</b> {kind}
          </li>
        ))}
        <li>The line is when a beat is due.</li>
      </ul>
    </div>
  );
}

interface BarProps {
  readonly gap: number;
  readonly every: number;
  readonly title: string;
  readonly open?: boolean;
}

function Bar({ gap, every, title, open = false }: BarProps) {
  return (
    <i
      data-kind={kindOf(gap, every)}
      data-open={open}
      style={{ height: `${heightOf(gap, every) * 100}%` }}
      title={`${title}: after ${duration(gap)}`}
    />
  );
}

/** What is growing now: the time since the last one. */
function Silence({ since, every }: { readonly since: string; readonly every: number }) {
  const now = useNow();
  return <Bar open gap={Math.max(0, now - Date.parse(since))} every={every} title="No beat since" />;
}
