// Waiting that the end of a worker cuts short: what may never come is not waited for then.

/** As the work ends; rejects with the signal's reason so long after that has aborted. The work itself goes on. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>, ms = 0): Promise<T> {
  return new Promise((resolve, reject) => {
    let alarm: NodeJS.Timeout | undefined;
    const giveUp = (): void => {
      alarm = setTimeout(() => reject(signal.reason), ms);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    // One signal is for thousands of waits, so each lets go of it at its end.
    const letGo = (): void => {
      signal.removeEventListener("abort", giveUp);
      clearTimeout(alarm);
    };
    work.then(resolve, reject).then(letGo, letGo);
  });
}

/** As the work ends; rejects after so long all the same. The work itself goes on. */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const alarm = setTimeout(() => reject(new Error(`no answer within ${ms / 1_000} s`)), ms);
    const letGo = (): void => clearTimeout(alarm);
    work.then(resolve, reject).then(letGo, letGo);
  });
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** As the work ends; resolves so long after the signal has aborted all the same. */
export function orSoonAfter(signal: AbortSignal, ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let alarm: NodeJS.Timeout | undefined;
    const wait = (): void => {
      alarm = setTimeout(resolve, ms);
    };
    if (signal.aborted) wait();
    else signal.addEventListener("abort", wait, { once: true });
    const letGo = (): void => {
      signal.removeEventListener("abort", wait);
      clearTimeout(alarm);
    };
    work.then(resolve, reject).then(letGo, letGo);
  });
}
