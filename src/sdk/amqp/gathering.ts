// Things that are told to the server together: while one request is under way, what comes meanwhile gathers for the next.

export interface Gathering<T, R> {
  /** Resolves with its own part of the answer. */
  add(item: T): Promise<R>;
}

interface Waiting<T, R> {
  readonly item: T;
  resolve(answer: R): void;
  reject(error: unknown): void;
}

/** `send` answers for each, in order; where it rejects, all of them are rejected. */
export function gathering<T, R>(max: number, send: (items: readonly T[]) => Promise<readonly R[]>): Gathering<T, R> {
  const waiting: Waiting<T, R>[] = [];
  let isSending = false;

  async function sendAll(): Promise<void> {
    isSending = true;
    // What is said in one turn leaves together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const sent = waiting.splice(0, max);
      try {
        const answers = await send(sent.map(({ item }) => item));
        for (const [nth, { resolve }] of sent.entries()) resolve(answers[nth] as R);
      } catch (error) {
        for (const { reject } of sent) reject(error);
      }
    }
    isSending = false;
  }

  return {
    add(item) {
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (!isSending) void sendAll();
      });
    },
  };
}
