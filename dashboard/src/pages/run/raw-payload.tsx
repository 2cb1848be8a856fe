import { useEffect, useState } from "react";
import { parseExactly } from "../../api/exact-json.ts";
import style from "./run.module.css";
import type { Payload } from "./verdict.ts";

export interface RawPayloadProps {
  readonly payload: Payload;
  readonly onChange: (payload: Payload) => void;
  /** Whether what stands there is no object in JSON: then nothing can be run. */
  readonly onBroken: (broken: boolean) => void;
}

export function RawPayload({ payload, onChange, onBroken }: RawPayloadProps) {
  const [text, setText] = useState(() => pretty(payload));
  const [problem, setProblem] = useState<string | null>(null);

  // What the form changed is written anew; what was typed here stays as it was typed.
  useEffect(() => {
    setText((old) => (same(old, payload) ? old : pretty(payload)));
    setProblem(null);
    onBroken(false);
  }, [payload, onBroken]);

  function typed(next: string): void {
    setText(next);
    try {
      const value = parseExactly(next);
      if (typeof value !== "object" || value === null || Array.isArray(value))
        throw new Error("It has to be an object");
      setProblem(null);
      onBroken(false);
      onChange(value as Payload);
    } catch (error) {
      setProblem((error as Error).message);
      onBroken(true);
    }
  }

  return (
    <div className={style.raw}>
      <textarea
        aria-label="Payload as JSON"
        aria-invalid={problem !== null}
        data-testid="raw-payload"
        spellCheck={false}
        value={text}
        onChange={(event) => typed(event.currentTarget.value)}
      />
      <p role="status">{problem}</p>
    </div>
  );
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function same(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(parseExactly(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}
