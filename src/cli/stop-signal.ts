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
  let heard: "nothing" | "a request" | "all of it" = "nothing";

  function heed(signal: StopSignal): void {
    if (heard === "all of it") {
      last();
      process.exit(signalCode(signal));
    }
    if (heard === "a request") return;
    heard = "a request";
    setTimeout(() => {
      heard = "all of it";
    }, oneRequestMs).unref();
    resolve(signal);
  }

  for (const signal of signals) process.on(signal, heed);
  return {
    asked: promise,
    end() {
      for (const signal of signals) process.off(signal, heed);
    },
  };
}

/** The exit code of a process that a signal has ended, as a shell counts it. */
export function signalCode(signal: StopSignal): number {
  return 128 + constants.signals[signal];
}
