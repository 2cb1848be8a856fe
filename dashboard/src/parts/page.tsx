import { type ReactNode, useEffect } from "react";
import type { Ask } from "../api/routes.ts";
import { CopyCurl } from "./copy.tsx";
import style from "./page.module.css";

export interface PageProps {
  readonly title: string;
  /** Instead of the title, where it is more than words. */
  readonly head?: ReactNode;
  /** The question whose answer the page shows, or all of them. */
  readonly asked: Ask | readonly Ask[];
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** All the height there is, and no scrolling but inside. */
  readonly full?: boolean;
  readonly testId?: string;
}

export function Page(props: PageProps) {
  const { title, head, asked, actions, children, full = false, testId } = props;
  useEffect(() => {
    document.title = `${title} · Leadhand`;
  }, [title]);
  return (
    <main className={full ? style.full : style.page} data-testid={testId} id="main" tabIndex={-1}>
      <header className={style.head}>
        <div className={style.title}>{head ?? <h1>{title}</h1>}</div>
        <div className={style.actions}>
          {actions}
          <CopyCurl asked={asked} />
        </div>
      </header>
      {children}
    </main>
  );
}
