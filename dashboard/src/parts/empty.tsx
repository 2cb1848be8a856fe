import type { ReactNode } from "react";
import { tellProblem } from "../api/problem.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy.tsx";
import style from "./empty.module.css";

export interface EmptyProps {
  readonly title: string;
  /** Why there is nothing here, and how there would be something. */
  readonly children?: ReactNode;
  /** What to type to see something here. */
  readonly command?: string;
}

export function Empty({ title, children, command }: EmptyProps) {
  return (
    <div className={style.empty} data-testid="empty">
      <h3>{title}</h3>
      {children !== undefined && <p>{children}</p>}
      {command !== undefined && <Command text={command} />}
    </div>
  );
}

export function Command({ text }: { readonly text: string }) {
  return (
    <div className={style.command}>
      <pre>{text}</pre>
      <CopyButton text={text} label="Copy" />
    </div>
  );
}

export function Trouble({ error, again }: { readonly error: unknown; readonly again?: () => void }) {
  return (
    <div className={style.trouble} role="alert">
      <h3>That did not work</h3>
      <p>{tellProblem(error)}</p>
      {again && (
        <Button small onClick={again}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** In the shape of what is coming, so that nothing jumps. */
export function Loading({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div className={style.loading} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div key={row} />
      ))}
    </div>
  );
}
