import { SelectField, TextField } from "../../parts/field.tsx";
import { count, plural } from "../../parts/text.ts";
import { GroupMenu } from "./acts.tsx";
import style from "./fleet.module.css";
import { isGone } from "./gone.ts";
import { waysOf } from "./groups.ts";
import { countStandings, goneState, standings, usageOf } from "./standing.ts";
import type { Worker } from "./worker.ts";

interface StandingsProps {
  readonly workers: readonly Worker[];
  readonly state: string;
  readonly onState: (state: string) => void;
}

/** How many of each; a press shows these alone, another one all again. */
export function Standings({ workers, state, onState }: StandingsProps) {
  const counts = countStandings(workers);
  const { held, slots } = usageOf(workers);
  return (
    <div className={style.standings}>
      <fieldset aria-label="Workers by state">
        <button type="button" aria-pressed={state === ""} onClick={() => onState("")}>
          <b data-testid="fleet-total">{count(workers.filter((worker) => !isGone(worker)).length)}</b> all
        </button>
        {standings.map((standing) => (
          <button
            key={standing}
            type="button"
            data-standing={standing}
            data-testid={`fleet-${standing}`}
            data-none={counts[standing] === 0}
            aria-pressed={state === standing}
            onClick={() => onState(state === standing ? "" : standing)}
          >
            <i aria-hidden="true" />
            <b>{count(counts[standing])}</b> {standing}
          </button>
        ))}
        <button
          type="button"
          data-testid="fleet-gone"
          aria-pressed={state === goneState}
          title="Those that said goodbye or were given up"
          onClick={() => onState(state === goneState ? "" : goneState)}
        >
          gone
        </button>
      </fieldset>
      <p>
        <b>{count(held)}</b> of <b>{count(slots)}</b> slots taken
      </p>
    </div>
  );
}

interface FiltersProps {
  readonly workers: readonly Worker[];
  readonly shown: readonly Worker[];
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly by: string;
  readonly onBy: (by: string) => void;
}

export function Filters({ workers, shown, text, onText, by, onBy }: FiltersProps) {
  const isAll = shown.length === workers.length;
  const title = isAll ? "the fleet" : "those shown";
  const known = waysOf(workers);
  const ways = known.includes(by) ? known : [...known, by];
  return (
    <search className={style.filters}>
      <TextField
        label="Find"
        type="search"
        placeholder="name, host, version, zone=a"
        value={text}
        data-testid="fleet-find"
        onChange={(event) => onText(event.currentTarget.value)}
      />
      <SelectField
        label="Group by"
        value={by}
        data-testid="fleet-by"
        onChange={(event) => onBy(event.currentTarget.value)}
      >
        {ways.map((way) => (
          <option key={way} value={way}>
            {way.replace(/^label:/, "label ")}
          </option>
        ))}
      </SelectField>
      <div className={style.shown}>
        <output aria-live="polite">
          {isAll ? plural(shown.length, "worker") : `${count(shown.length)} of ${plural(workers.length, "worker")}`}
        </output>
        <GroupMenu
          word="Act on all shown"
          testId="shown-menu"
          group={{ key: "", title, label: null, workers: shown }}
        />
      </div>
    </search>
  );
}
