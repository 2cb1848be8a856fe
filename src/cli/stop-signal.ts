// Signals that ask a command to stop. The first is a request; a later one means now.

import { constants } from "node:os";

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface StopRequest {
  /** Resolves with the first signal. */
  readonly asked: Promise<StopSignal>;
  /** Gives the signals back to the system. */
  end(): void;
}

/**
 * Supervisors signal every process they started, and the launcher passes on what it gets, so one request may arrive as
 * two signals in one moment.
 */
const oneRequestMs = 300;

/** `last` is called before a second request ends the process; nothing may be waited for then. */
export function stopRequest(signals: readonly StopSignal[], last: () => void = () => {}): StopRequest {
  const { promise, resolve } = Promise.withResolvers<StopSignal>();
  const end = onStopRequests(signals, (signal, nth) => {
    if (nth === 1) {
      resolve(signal);
      return;
    }
    last();
    process.exit(signalCode(signal));
  });
  return { asked: promise, end };
}

/** Calls `heed` with each request and its number, from 1 on. Answers what gives the signals back to the system. */
export function onStopRequests(
  signals: readonly StopSignal[],
  heed: (signal: StopSignal, nth: number) => void,
): () => void {
  let requests = 0;
  let isSame = false;

  function hear(signal: StopSignal): void {
    if (isSame) return;
    isSame = true;
    setTimeout(() => {
      isSame = false;
    }, oneRequestMs).unref();
    requests += 1;
    heed(signal, requests);
  }

  for (const signal of signals) process.on(signal, hear);
  return () => {
    for (const signal of signals) process.off(signal, hear);
  };
}

/** The exit code of a process that a signal has ended, as a shell counts it. */
export function signalCode(signal: StopSignal): number {
  return 128 + constants.signals[signal];
}
