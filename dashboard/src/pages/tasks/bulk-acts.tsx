import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import type { Verb } from "./act-text.ts";
import { type Begun, useBeginAct } from "./begin-act.tsx";
import { actQuery } from "./query-terms.ts";

const none = { cancel: "No open task matches", retry: "No task that ended matches" } as const;

export interface BulkActsProps {
  readonly query: string;
  /** Whether the server can read the query: nobody knows what all of another one are. */
  readonly readable: boolean;
  readonly onAct: Begun;
}

export function BulkActs({ query, readable, onAct }: BulkActsProps) {
  const [busy, setBusy] = useState(false);
  const begin = useBeginAct(onAct);
  const act = (verb: Verb) => {
    setBusy(true);
    void begin({ act: verb, q: actQuery(verb, query), none: none[verb] }).finally(() => setBusy(false));
  };
  return (
    <>
      <Button small disabled={busy || !readable} data-testid="retry-all" onClick={() => act("retry")}>
        Retry all…
      </Button>
      <Button small disabled={busy || !readable} kind="danger" data-testid="cancel-all" onClick={() => act("cancel")}>
        Cancel all…
      </Button>
    </>
  );
}
