import { count } from "../../parts/text.ts";
import { stateIn, withState } from "./query-terms.ts";
import type { TaskCount } from "./task-item.ts";
import style from "./tasks-page.module.css";

export const states = ["pending", "claimed", "running", "completed", "failed", "cancelled"] as const;

/** The finer words of a query that make up a state. */
const finer: Readonly<Record<string, readonly string[]>> = {
  pending: ["pending", "ready", "delayed"],
  running: ["running", "deferred"],
};

export interface StateChipsProps {
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** Of the query without its state. */
  readonly counted: TaskCount | undefined;
}

export function StateChips({ query, onQuery, counted }: StateChipsProps) {
  const chosen = stateIn(query);
  return (
    <fieldset className={style.chips} aria-label="States">
      <Chip label="all" pressed={chosen === ""} number={counted} onClick={() => onQuery(withState(query, ""))} />
      {states.map((state) => (
        <Chip
          key={state}
          label={state}
          pressed={chosen.split(",").includes(state)}
          number={numberOf(counted, state)}
          onClick={() => onQuery(withState(query, chosen === state ? "" : state))}
        />
      ))}
    </fieldset>
  );
}

interface ChipNumber {
  readonly count: number;
  readonly exact: boolean;
}

function Chip(props: {
  readonly label: string;
  readonly pressed: boolean;
  readonly number: ChipNumber | null | undefined;
  readonly onClick: () => void;
}) {
  const { label, pressed, number, onClick } = props;
  return (
    <button type="button" aria-pressed={pressed} data-state={label} data-testid={`chip-${label}`} onClick={onClick}>
      <i aria-hidden="true" />
      {label}
      <b>{number ? `${count(number.count)}${number.exact ? "" : "+"}` : ""}</b>
    </button>
  );
}

function numberOf(counted: TaskCount | undefined, state: string): ChipNumber | null {
  if (!counted?.by_state) return null;
  const words = finer[state] ?? [state];
  const sum = words.reduce((total, word) => total + (counted.by_state?.[word] ?? 0), 0);
  return { count: sum, exact: counted.exact };
}
