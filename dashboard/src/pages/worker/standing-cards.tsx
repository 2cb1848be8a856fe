import type { ReactNode } from "react";
import { Card, Facts, Figure } from "../../parts/card.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { bytes, plural } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";
import { Slots } from "../fleet/slots.tsx";
import { slotsOf } from "../fleet/standing.ts";
import style from "./worker.module.css";
import type { WorkerDetail } from "./worker-page.tsx";

interface Props {
  readonly worker: WorkerDetail;
}

/** What an operator wants of it at the moment, and why. */
export function Orders({ worker: { state, last_heartbeat, pause, drain, concurrency_limit } }: Props) {
  if (state === "DELETED") {
    return (
      <div className={style.orders}>
        <p>
          <strong>Gone</strong>: it was last heard <Ago at={last_heartbeat} />. Its history stays.
        </p>
      </div>
    );
  }
  if (pause === null && drain === null && concurrency_limit === null) return null;
  return (
    <div className={style.orders}>
      {pause && (
        <Order word="Paused" {...pause}>
          {pause.until === null ? "until somebody resumes it" : <Ends word="ends" at={pause.until} />}
        </Order>
      )}
      {drain && (
        <Order word="Draining" {...drain}>
          {drain.deadline === null ? "without a deadline" : <Ends word="deadline" at={drain.deadline} />}
        </Order>
      )}
      {concurrency_limit !== null && (
        <p>
          <strong>Resized</strong> to {concurrency_limit} at a time.
        </p>
      )}
    </div>
  );
}

function Ends({ word, at }: { readonly word: string; readonly at: string }) {
  return (
    <>
      {word} <Ago at={at} />
    </>
  );
}

interface OrderProps {
  readonly word: string;
  readonly by: string;
  readonly note: string | null;
  readonly at: string;
  readonly children: ReactNode;
}

function Order({ word, by, note, at, children }: OrderProps) {
  return (
    <p>
      <strong>{word}</strong> by {by} <Ago at={at} />, {children}
      {note === null ? "." : `: “${note}”`}
    </p>
  );
}

export function Now({ worker }: Props) {
  const { status, held, last_heartbeat, job_count, blocked_ms } = worker;
  const slots = slotsOf(worker);
  const blocked = (blocked_ms ?? 0) > 0;
  return (
    <div className={style.now}>
      <Figure
        label="Holds"
        value={slots === null ? held : `${held} of ${slots}`}
        hint={<Slots worker={worker} bare />}
        testId="worker-held"
      />
      <Figure label="Last beat" value={<Ago at={last_heartbeat} />} hint={`by the door ${worker.door}`} />
      <Figure
        label="Loop lag"
        value={status.loopLagMs === null ? "–" : `${Math.round(status.loopLagMs)} ms`}
        hint={blocked ? `blocked for ${Math.round(blocked_ms ?? 0)} ms` : "of its event loop"}
        {...(blocked && { tone: "warning" })}
      />
      <Figure
        label="CPU"
        value={status.cpuPercent === null ? "–" : `${Math.round(status.cpuPercent)} %`}
        hint="as it says"
      />
      <Figure label="Memory" value={bytes(status.ramBytes)} hint="of its process" />
      <Figure label="Jobs" value={job_count} hint={queuesText(worker.queues)} />
    </div>
  );
}

function queuesText(queues: WorkerDetail["queues"]): string {
  if (queues === null) return "of any queue";
  return queues.length === 1 ? "of one queue" : `of ${plural(queues.length, "queue")}`;
}

export function About({ worker }: Props) {
  const { id, door, profile, hostname, os, version, labels, queues, about, created_at } = worker;
  return (
    <Card title="About" aside={<CopyButton text={id} label="Copy id" />}>
      <Facts
        facts={[
          ["Id", <code key="id">{id}</code>],
          ["Door", profile === door ? door : `${door}, profile ${profile}`],
          ["Host", hostname ?? "–"],
          ["System", os ?? "–"],
          ["Version", version ?? "–"],
          ["Labels", <Labels key="labels" labels={labels} />],
          ["Queues", queues === null ? "any" : queues.join(", ")],
          ["Came", <Ago key="came" at={created_at} />],
          ...Object.entries(about)
            .filter(([name]) => name !== "version")
            .map(([name, value]) => [name, textOf(value)] as const),
        ]}
      />
    </Card>
  );
}

function Labels({ labels }: { readonly labels: Readonly<Record<string, string>> }) {
  const all = Object.entries(labels);
  if (all.length === 0) return "none";
  return (
    <span className={style.labels}>
      {all.map(([key, value]) => (
        <code key={key}>
          {key}={value}
        </code>
      ))}
    </span>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
