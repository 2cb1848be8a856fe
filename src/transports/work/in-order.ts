// Frames of one connection are taken in the order they came: while one is being taken that needs time, later ones wait.

export interface InOrder {
  /** False when too many wait. */
  add(frame: Buffer): boolean;
  /** Nothing is taken before this is done, however it ends. */
  waitFor(work: Promise<unknown>): void;
  /** Forgets what waits. */
  clear(): void;
  readonly busy: boolean;
}

export interface InOrderParts {
  readonly messageBytesMax: number;
  /** Answers a promise where later ones have to wait for it. */
  take(frame: Buffer): Promise<void> | null;
  /** What was thrown. */
  failed(error: unknown): void;
  /** Nothing waits any more. */
  idle(): void;
}

const framesMax = 100;
const bytesMax = 4 * 2 ** 20;

export function inOrder({ messageBytesMax, take, failed, idle }: InOrderParts): InOrder {
  // One of any size that is allowed may always wait.
  const waitingBytesMax = Math.max(bytesMax, messageBytesMax);
  let waiting: Buffer[] = [];
  let bytes = 0;
  let busy = false;

  function waitFor(work: Promise<unknown>): void {
    busy = true;
    work.catch(failed).then(() => {
      busy = false;
      goOn();
      if (!busy) idle();
    });
  }

  function goOn(): void {
    while (!busy) {
      const frame = waiting.shift();
      if (frame === undefined) return;
      bytes -= frame.length;
      takeNow(frame);
    }
  }

  function takeNow(frame: Buffer): void {
    try {
      const work = take(frame);
      if (work !== null) waitFor(work);
    } catch (error) {
      failed(error);
    }
  }

  return {
    waitFor,
    add(frame) {
      if (!busy) {
        takeNow(frame);
        return true;
      }
      bytes += frame.length;
      waiting.push(frame);
      return waiting.length <= framesMax && bytes <= waitingBytesMax;
    },
    clear() {
      [waiting, bytes] = [[], 0];
    },
    get busy() {
      return busy;
    },
  };
}
