// Whether a manager is to go on. It stops for good: because it was asked to, or because it cannot go on, and then it
// says why.

export interface Life {
  /** From now on nothing new is begun. */
  readonly stopping: AbortSignal;
  /** From now on nothing is waited for any more. */
  readonly over: AbortSignal;
  /** Why it could not go on. */
  readonly error: Error | undefined;
  stop(): void;
  fail(error: unknown): void;
  end(): void;
}

export function life(log: ManagerLog): Life {
  const [stopping, over] = [new AbortController(), new AbortController()];
  let failure: Error | undefined;
  return {
    stopping: stopping.signal,
    over: over.signal,
    get error() {
      return failure;
    },
    stop: () => stopping.abort(),
    fail(error) {
      if (failure !== undefined || over.signal.aborted) return;
      failure = error instanceof Error ? error : new Error(String(error));
      log.error("The manager stops", failure);
      stopping.abort();
      over.abort();
    },
    end() {
      stopping.abort();
      over.abort();
    },
  };
}

/** Where a manager tells what nobody is waiting to hear. */
export interface ManagerLog {
  info(message: string, error?: unknown): void;
  warn(message: string, error?: unknown): void;
  error(message: string, error?: unknown): void;
}

export const consoleLog: ManagerLog = {
  info() {},
  warn: (message, error) => console.warn(`leadhand: ${message}`, ...(error === undefined ? [] : [error])),
  error: (message, error) => console.error(`leadhand: ${message}`, ...(error === undefined ? [] : [error])),
};
