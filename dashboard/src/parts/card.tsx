import type { ReactNode } from "react";
import style from "./card.module.css";

export interface CardProps {
  readonly title?: ReactNode;
  /** Beside the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  /** The content goes to the edges, as a table does. */
  readonly flush?: boolean;
  readonly id?: string;
}

export function Card({ title, aside, children, flush = false, id }: CardProps) {
  return (
    <section className={style.card} id={id}>
      {title !== undefined && (
        <header className={style.head}>
          <h2>{title}</h2>
          {aside !== undefined && <div className={style.aside}>{aside}</div>}
        </header>
      )}
      <div className={flush ? style.flush : style.body}>{children}</div>
    </section>
  );
}

/** One figure and what it is. */
export function Figure(props: {
  readonly label: string;
  readonly value: ReactNode;
  readonly hint?: ReactNode;
  readonly tone?: "good" | "bad" | "warning";
  readonly testId?: string;
}) {
  return (
    <div className={style.figure} data-tone={props.tone}>
      <div className={style.label}>{props.label}</div>
      <div className={style.value} data-testid={props.testId}>
        {props.value}
      </div>
      {props.hint !== undefined && <div className={style.hint}>{props.hint}</div>}
    </div>
  );
}

/** Six figures, in rows without a hole. */
export function Figures({ children }: { readonly children: ReactNode }) {
  return <div className={style.figures}>{children}</div>;
}

/** Three cards side by side, or below each other. */
export function Thirds({ children }: { readonly children: ReactNode }) {
  return <div className={style.thirds}>{children}</div>;
}

/** Cards side by side, as many as fit. */
export function Grid({ children, min = 320 }: { readonly children: ReactNode; readonly min?: number }) {
  return (
    <div className={style.grid} style={{ gridTemplateColumns: `repeat(auto-fit, minmax(min(${min}px, 100%), 1fr))` }}>
      {children}
    </div>
  );
}

/** Pairs of what it is and what it says. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={style.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
