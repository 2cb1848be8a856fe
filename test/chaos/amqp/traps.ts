// Moments at which something is stopped: whoever carries things asks whether this one may go on.

export interface Trap {
  /** Resolves when it has happened. */
  readonly sprung: Promise<void>;
  readonly isSprung: boolean;
  /** Takes it back; where it has sprung, nothing changes for whom it holds. */
  remove(): void;
}

export interface Traps<T> {
  set(isIt: (what: T) => boolean): Trap;
  /** Whether this goes no further. Each trap stops one thing. */
  stops(what: T): boolean;
}

export function newTraps<T>(): Traps<T> {
  const armed = new Map<(what: T) => boolean, () => void>();
  return {
    set(isIt) {
      const { promise: sprung, resolve } = Promise.withResolvers<void>();
      const own = (what: T): boolean => isIt(what);
      let isSprung = false;
      armed.set(own, () => {
        isSprung = true;
        resolve();
      });
      return {
        sprung,
        get isSprung() {
          return isSprung;
        },
        remove: () => void armed.delete(own),
      };
    },
    stops(what) {
      for (const [isIt, spring] of armed) {
        if (!isIt(what)) continue;
        armed.delete(isIt);
        spring();
        return true;
      }
      return false;
    },
  };
}
