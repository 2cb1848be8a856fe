// Messages that are here, and whose handlers have not begun.

export interface Lobby {
  /** Answers what is called when it begins, or goes elsewhere; calling it again changes nothing. */
  enter(): () => void;
  /** Resolves when nobody is left. */
  empty(): Promise<void>;
}

export function lobby(): Lobby {
  const here = new Set<object>();
  let wake: () => void = () => {};

  return {
    enter() {
      const one = {};
      here.add(one);
      return () => {
        here.delete(one);
        if (here.size === 0) wake();
      };
    },
    async empty() {
      while (here.size > 0) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}
