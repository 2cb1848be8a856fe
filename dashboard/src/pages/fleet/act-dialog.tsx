import { type FormEvent, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { SelectField, TextField } from "../../parts/field.tsx";
import { ProgressBar } from "../../parts/progress.tsx";
import { type ActName, actWords, type Said, type Target, whatOf } from "./act-words.ts";
import style from "./acts.module.css";
import { useCarryOut } from "./carry-out.ts";

export interface ActDialogProps {
  readonly act: ActName;
  readonly target: Target;
  readonly onClose: () => void;
}

/** Asks once more, with what the act needs to know and room for why. */
export function ActDialog({ act, target, onClose }: ActDialogProps) {
  const { progress, carryOut } = useCarryOut();
  const words = actWords[act];
  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    await carryOut(act, target, saidIn(new FormData(event.currentTarget)));
    onClose();
  }
  return (
    <Dialog open title={words.title(act === "roll" ? target.title : whatOf(target))} onClose={onClose}>
      <form className={style.form} onSubmit={(event) => void submit(event)}>
        <p>{words.text}</p>
        <Fields act={act} target={target} />
        <TextField
          label="Note"
          name="note"
          maxLength={1_000}
          hint="Why? It is shown to others and kept in the audit."
        />
        {progress && target.workers.length > 1 && (
          <ProgressBar label="Workers done" current={progress.done} total={progress.of} />
        )}
        <DialogActions>
          <Button onClick={onClose}>Better not</Button>
          <Button
            type="submit"
            kind={act === "drain" || act === "roll" ? "danger" : "main"}
            disabled={progress !== null}
            data-testid="confirm"
          >
            {words.confirm}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Fields({ act, target }: Pick<ActDialogProps, "act" | "target">) {
  if (act === "pause") {
    return (
      <SelectField label="For how long" name="seconds">
        <option value="">Until somebody resumes it</option>
        <Spans />
      </SelectField>
    );
  }
  if (act === "resize") return <SizeField target={target} />;
  if (act === "resume") return null;
  return (
    <>
      {act === "roll" && (
        <TextField label="At a time" name="at_a_time" type="number" min={1} max={1_000} defaultValue={1} required />
      )}
      <DeadlineField isOne={target.workers.length === 1 && act === "drain"} />
    </>
  );
}

function DeadlineField({ isOne }: { readonly isOne: boolean }) {
  const [seconds, setSeconds] = useState("");
  return (
    <SelectField
      label={isOne ? "Deadline" : "Deadline of each"}
      name="seconds"
      value={seconds}
      onChange={(event) => setSeconds(event.currentTarget.value)}
      hint={seconds === "" ? undefined : "What it still holds then goes to others."}
    >
      <option value="">None: it may take as long as it takes</option>
      <option value="0">At once</option>
      <Spans />
    </SelectField>
  );
}

function Spans() {
  return (
    <>
      <option value="60">1 minute</option>
      <option value="300">5 minutes</option>
      <option value="900">15 minutes</option>
      <option value="3600">1 hour</option>
      <option value="28800">8 hours</option>
      <option value="86400">1 day</option>
    </>
  );
}

function SizeField({ target: { workers } }: { readonly target: Target }) {
  const [first] = workers;
  const own = workers.length === 1 && first?.capacity != null ? `, which is ${first.capacity}` : "";
  return (
    <TextField
      label="Tasks at a time"
      name="value"
      type="number"
      min={1}
      max={10_000}
      defaultValue={workers.length === 1 ? (first?.concurrency_limit ?? first?.capacity ?? "") : ""}
      hint={`Leave it empty to take the limit back: then it is what the worker says of itself${own}.`}
    />
  );
}

function saidIn(form: FormData): Said {
  const number = (name: string) => {
    const text = String(form.get(name) ?? "");
    return text === "" ? null : Number(text);
  };
  const note = String(form.get("note") ?? "").trim();
  return {
    note: note === "" ? null : note,
    seconds: number("seconds"),
    value: number("value"),
    atATime: number("at_a_time") ?? 1,
  };
}
