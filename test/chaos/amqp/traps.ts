// Moments at which something is stopped: whoever carries things asks whether this one may go on.

export interface Trap<T> {
  /** Resolves when it has happened. */
  readonly sprung: Promise<void>;
  /** By what it was sprung; null as long as it is not. */
  readonly caught: T | null;
  /** Takes it back; where it has sprung, nothing changes for whom it holds. */
  remove(): void;
}

export interface Traps<T> {
  set(isIt: (what: T) => boolean): Trap<T>;
  /** Whether this goes no further. Each trap stops one thing. */
  stops(what: T): boolean;
}

export function newTraps<T>(): Traps<T> {
  const armed = new Map<(what: T) => boolean, (what: T) => void>();
  return {
    set(isIt) {
      const { promise: sprung, resolve } = Promise.withResolvers<void>();
      const own = (what: T): boolean => isIt(what);
      let caught: T | null = null;
      armed.set(own, (what) => {
        caught = what;
        resolve();
      });
      return {
        sprung,
        get caught() {
          return caught;
        },
        remove: () => void armed.delete(own),
      };
    },
    stops(what) {
      for (const [isIt, spring] of armed) {
        if (!isIt(what)) continue;
        armed.delete(isIt);
        spring(what);
        return true;
      }
      return false;
    },
  };
}
