// "Are you sure?", with room for why: the note goes into the audit.

import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";
import { TextField } from "./field.tsx";

export interface Question {
  readonly title: string;
  readonly text: ReactNode;
  readonly confirm: string;
  readonly danger?: boolean;
  /** Asks for a note. */
  readonly note?: boolean;
  /** Asks for a number, such as how many tasks a worker may hold. */
  readonly number?: { readonly label: string; readonly value: number; readonly min: number; readonly max: number };
}

export interface Confirmed {
  readonly note: string | undefined;
  readonly number: number;
}

type AskForIt = (question: Question) => Promise<Confirmed | null>;

const Context = createContext<AskForIt>(() => Promise.resolve(null));

/** Null: better not. */
export function useConfirm(): AskForIt {
  return use(Context);
}

interface Asked {
  readonly question: Question;
  readonly answer: (confirmed: Confirmed | null) => void;
}

export function ConfirmProvider({ children }: { readonly children: ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const askForIt = useCallback<AskForIt>(
    (question) =>
      new Promise((resolve) => {
        setAsked({
          question,
          answer(confirmed) {
            setAsked(null);
            resolve(confirmed);
          },
        });
      }),
    [],
  );
  // Whoever goes back leaves the page that the question is about.
  useEffect(() => {
    const leave = () => asked?.answer(null);
    addEventListener("popstate", leave);
    return () => removeEventListener("popstate", leave);
  }, [asked]);
  return (
    <Context value={useMemo(() => askForIt, [askForIt])}>
      {children}
      {asked && <ConfirmDialog {...asked} />}
    </Context>
  );
}

function ConfirmDialog({ question, answer }: Asked) {
  const [note, setNote] = useState("");
  const [number, setNumber] = useState(question.number?.value ?? 0);
  const confirmed = () => answer({ note: note.trim() === "" ? undefined : note.trim(), number });
  return (
    <Dialog open title={question.title} onClose={() => answer(null)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          confirmed();
        }}
        style={{ display: "grid", gap: 14 }}
      >
        <div>{question.text}</div>
        {question.number && (
          <TextField
            label={question.number.label}
            type="number"
            min={question.number.min}
            max={question.number.max}
            value={number}
            onChange={(event) => setNumber(event.currentTarget.valueAsNumber)}
          />
        )}
        {question.note && (
          <TextField
            label="Note"
            hint="Why? It is kept with the act, in the audit."
            value={note}
            maxLength={1_000}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
        )}
        <DialogActions>
          <Button onClick={() => answer(null)}>Better not</Button>
          <Button type="submit" kind={question.danger ? "danger" : "main"} data-testid="confirm">
            {question.confirm}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
