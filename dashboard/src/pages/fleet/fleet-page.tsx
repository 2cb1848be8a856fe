import { useDeferredValue, useMemo } from "react";
import { Answered } from "../../parts/answered.tsx";
import { Card } from "../../parts/card.tsx";
import { Page } from "../../parts/page.tsx";
import { useRowKeys } from "../../parts/row-keys.ts";
import { useSearchText } from "../../shell/search.ts";
import { FleetActs } from "./acts.tsx";
import { askedFor } from "./asked.ts";
import { Drains } from "./drains.tsx";
import { Filters, Standings } from "./fleet-head.tsx";
import { chosen, grouped } from "./groups.ts";
import { NoWorkers } from "./no-workers.tsx";
import { Pauses } from "./pauses.tsx";
import { goneState } from "./standing.ts";
import { Tiles } from "./tiles.tsx";
import type { Worker } from "./worker.ts";
import { useGone, useWorkers } from "./workers.ts";

/** Every worker, and what can be done about it. */
export function FleetPage() {
  const workers = useWorkers();
  const [state] = useSearchText("state");
  const [text] = useSearchText("find");
  useRowKeys("[data-testid=worker-tile] a[data-row]");
  return (
    <FleetActs>
      <Page title="Fleet" asked={askedFor({ state, text })} testId="fleet">
        <Answered of={workers} rows={12}>
          {(all) => <Fleet workers={all} />}
        </Answered>
      </Page>
    </FleetActs>
  );
}

function Fleet({ workers }: { readonly workers: readonly Worker[] }) {
  const [by, setBy] = useSearchText("by", "host");
  const [state, setState] = useSearchText("state");
  const [text, setText] = useSearchText("find");
  const sought = useDeferredValue(text);
  const gone = useGone(state === goneState);
  const all = state === goneState ? gone : workers;
  const shown = useMemo(() => chosen(all, { state, text: sought }), [all, state, sought]);
  const groups = useMemo(() => grouped(shown, by), [shown, by]);
  return (
    <>
      <Standings workers={workers} state={state} onState={setState} />
      <Drains workers={workers} />
      <Pauses workers={workers} />
      {workers.length === 0 && state === "" ? (
        <NoWorkers />
      ) : (
        <>
          <Filters workers={all} shown={shown} text={text} onText={setText} by={by} onBy={setBy} />
          {shown.length === 0 ? <NoneFits /> : <Tiles groups={groups} />}
        </>
      )}
    </>
  );
}

function NoneFits() {
  return (
    <Card title="No worker fits">
      <p>
        Words are looked for in names, hosts, versions, doors and labels, as in <code>zone=a</code>.
      </p>
    </Card>
  );
}
