import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { bytes } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";
import { WorkerMenu } from "./acts.tsx";
import { Slots } from "./slots.tsx";
import { marksOf, toneOf } from "./standing.ts";
import style from "./tile.module.css";
import { nameOf, type Worker } from "./worker.ts";

/** One worker at a glance. Redrawn only when something about it changed. */
export const Tile = memo(function Tile({ worker }: { readonly worker: Worker }) {
  const { id, state, hostname, door, version, status, last_heartbeat } = worker;
  const name = nameOf(worker);
  const about = [door, version, hostname].filter(Boolean).join(" · ");
  return (
    <article className={style.tile} data-state={state} data-testid="worker-tile" data-worker={id}>
      <header>
        <i className={style.dot} data-tone={toneOf(worker)} aria-hidden="true" />
        <Link to="/fleet/$id" params={{ id }} className={style.name} title={name} data-row>
          {name}
        </Link>
        <WorkerMenu worker={worker} />
      </header>
      <div className={style.about}>
        <Marks worker={worker} />
        <span title={about}>{about}</span>
      </div>
      <Slots worker={worker} />
      <dl className={style.measures}>
        <Measure name="lag" value={status.loopLagMs === null ? "–" : `${Math.round(status.loopLagMs)} ms`} />
        <Measure name="CPU" value={status.cpuPercent === null ? "–" : `${Math.round(status.cpuPercent)} %`} />
        <Measure name="memory" value={bytes(status.ramBytes)} />
        <div>
          <dt>beat</dt>
          <dd>
            <Ago at={last_heartbeat} />
          </dd>
        </div>
      </dl>
    </article>
  );
});

function Measure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** What is unusual about a worker; that it is online is not. */
export function Marks({ worker }: { readonly worker: Worker }) {
  const marks = marksOf(worker);
  const said = worker.state === "ONLINE" ? marks : [worker.state.toLowerCase(), ...marks];
  return said.map((mark) => (
    <span key={mark} className={style.mark} data-mark={mark} title={whyOf(worker, mark)}>
      {mark}
    </span>
  ));
}

function whyOf({ pause, drain, blocked_ms }: Worker, mark: string): string | undefined {
  if (mark === "paused" && pause) return [`by ${pause.by}`, pause.note].filter(Boolean).join(": ");
  if (mark === "draining" && drain) return [`by ${drain.by}`, drain.note].filter(Boolean).join(": ");
  if (mark === "blocked") return `its code did not let go of the processor for ${Math.round(blocked_ms ?? 0)} ms`;
  if (mark === "deaf") return "it beats and does not echo: it gets no tasks until it does";
  return undefined;
}
