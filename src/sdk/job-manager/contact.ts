// How long the server has been out of reach. Every request tells; when trouble has lasted too long, somebody is told.

import { ServerUnreachable } from "../problem.ts";

export interface Contact {
  /** An answer came. */
  good(): void;
  /** None came, or one that says that the server is not well. */
  bad(cause: unknown): void;
  stop(): void;
}

export function contact(limitMs: number, lost: (error: ServerUnreachable) => void): Contact {
  let timer: NodeJS.Timeout | undefined;
  let last: unknown;

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    good: stop,
    bad(cause) {
      last = cause;
      timer ??= setTimeout(() => {
        timer = undefined;
        const seconds = Math.round(limitMs / 100) / 10;
        lost(new ServerUnreachable(`The server gave no good answer for ${seconds} s`, { cause: last }));
      }, limitMs).unref();
    },
    stop,
  };
}
