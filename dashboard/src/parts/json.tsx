// Payloads, as text. What is very long is cut for the screen, and can be had whole.

import { useMemo, useState } from "react";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy.tsx";
import style from "./json.module.css";
import { Scrolled } from "./scrolled.tsx";

const shownMax = 20_000;

export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const [whole, setWhole] = useState(false);
  const text = useMemo(() => pretty(value), [value]);
  const cut = !whole && text.length > shownMax;
  return (
    <div className={style.json}>
      <Scrolled aria-label={label}>
        <pre>{cut ? text.slice(0, shownMax) : text}</pre>
      </Scrolled>
      <div className={style.actions}>
        {cut && (
          <Button small onClick={() => setWhole(true)}>
            Show all {text.length.toLocaleString("en")} characters
          </Button>
        )}
        <CopyButton text={text} label="Copy" />
      </div>
    </div>
  );
}

function pretty(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "–");
}
