// Messages that wait for a free hand. The broker keeps each until its verdict, and does not wait for ever: one that has
// waited too long goes back into its queue, where somebody else may be free for it.

import type { Verdict } from "../../amqp/consuming.ts";
import { elapsedMs } from "../../system.ts";

export interface WaitingMessage {
  /** Of the task that it names. */
  readonly id: string;
  judge(verdict: Verdict): void;
}

export interface MessageLine {
  /** Resolves with its verdict. */
  wait(id: string): Promise<Verdict>;
  /** Up to so many, the oldest first; waits until there is one, or no more are wanted. */
  take(max: number): Promise<readonly WaitingMessage[]>;
  /** They are asked about once more, before any other. */
  putBack(messages: readonly WaitingMessage[]): void;
  /** All that wait go back into their queue. */
  sendBackAll(): void;
  /** Nobody takes any more; whatever comes waits. */
  stop(): void;
  /** The same, but all that wait go back into their queue, and so does whatever comes. */
  close(): void;
}

export interface MessageLineParts {
  readonly holdMs: number;
  /** Some have waited too long, and are about to go back. */
  onHeldUp(): void;
  /** One that was acknowledged before its time has nobody left but whoever hears this. */
  onStranded(id: string): void;
}

export function messageLine({ holdMs, onHeldUp, onStranded }: MessageLineParts): MessageLine {
  let waiting: (WaitingMessage & { readonly since: number })[] = [];
  const judged = new WeakSet<WaitingMessage["judge"]>();
  let wake: () => void = () => {};
  let isStopped = false;
  let isClosed = false;
  let alarm: NodeJS.Timeout | undefined;

  function sendBack({ id, judge }: WaitingMessage): void {
    if (judged.has(judge)) onStranded(id);
    else judge("requeue");
  }

  function sendBackAll(): void {
    waiting.splice(0).forEach(sendBack);
  }

  function letGo(until: number): void {
    const late = waiting.filter(({ since }) => since <= until);
    waiting = waiting.filter(({ since }) => since > until);
    if (late.length === 0) return;
    // First, so that they do not come here again at once.
    onHeldUp();
    late.forEach(sendBack);
  }

  function watch(): void {
    alarm ??= setTimeout(() => {
      alarm = undefined;
      letGo(elapsedMs() - holdMs);
      if (waiting.length > 0) watch();
    }, holdMs).unref();
  }

  function stop(): void {
    isStopped = true;
    wake();
  }

  return {
    wait: (id) =>
      new Promise((resolve) => {
        if (isClosed) return resolve("requeue");
        const judge = (verdict: Verdict): void => {
          judged.add(judge);
          resolve(verdict);
        };
        waiting.push({ id, judge, since: elapsedMs() });
        watch();
        wake();
      }),
    async take(max) {
      while (waiting.length === 0 && !isStopped) await new Promise<void>((resolve) => (wake = resolve));
      return isStopped ? [] : waiting.splice(0, max);
    },
    putBack(messages) {
      if (isClosed) return messages.forEach(sendBack);
      waiting.unshift(...messages.map(({ id, judge }) => ({ id, judge, since: elapsedMs() })));
      watch();
    },
    ...{ sendBackAll, stop },
    close() {
      isClosed = true;
      clearTimeout(alarm);
      sendBackAll();
      stop();
    },
  };
}
