// What one worker is told. Everything of one turn leaves together: as one frame where the worker takes batches, else as
// frames in one write. A write costs more than what is in it.

import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import { batchText } from "./messages.ts";

export interface Outbox {
  say(text: string): void;
  /** Before anything else that waits. */
  sayFirst(text: string): void;
  /** The same for a message of a few plain characters, which does not wait for others if there are none. */
  sayShort(text: string): void;
  /** Whether several messages may come in one frame. */
  setBatched(batched: boolean): void;
  /** Sends what waits. */
  flush(): void;
  /** Whether more waits for the reader than may wait for longer than a moment. */
  isFull(): boolean;
  /** Whether the other side reads so slowly that it is no use; asked about once a second. */
  isTooSlow(now: number): boolean;
}

export interface OutboxParts {
  /** What may wait for the reader for longer than a moment. */
  readonly bufferedBytesMax: number;
  /** Calls `flush` when the turn is over. */
  soon(flush: () => void): void;
  readonly metrics: { sent(frames: number): void };
}

/** How long more than allowed may wait, and how long anything may wait without any of it being read. */
const overMs = 5_000;
const stuckMs = 10_000;
/** Characters of a batch; a larger message goes alone. */
const batchLengthMax = 262_144;

/** `socket` is what the WebSocket is on. */
export function outbox(ws: WebSocket, socket: Duplex, { bufferedBytesMax, soon, metrics }: OutboxParts): Outbox {
  let waiting: string[] = [];
  let waitingLength = 0;
  let batched = false;
  let [written, read, readAt] = [0, 0, Number.NEGATIVE_INFINITY];
  let overSince: number | null = null;

  function flush(): void {
    const messages = waiting;
    [waiting, waitingLength] = [[], 0];
    if (messages.length === 0 || ws.readyState !== WebSocket.OPEN) return;
    const frames = batched && messages.length > 1 ? batches(messages) : messages;
    socket.cork();
    for (const frame of frames) {
      ws.send(frame);
      written += frame.length;
    }
    socket.uncork();
    metrics.sent(frames.length);
  }

  function wait({ length }: string): void {
    if (waiting.length === 0) soon(flush);
    waitingLength += length;
  }

  return {
    flush,
    say(text) {
      wait(text);
      waiting.push(text);
    },
    sayFirst(text) {
      wait(text);
      waiting.unshift(text);
    },
    sayShort(text) {
      if (waiting.length > 0) {
        wait(text);
        waiting.push(text);
      } else if (ws.readyState === WebSocket.OPEN) {
        socket.write(shortFrame(text));
        written += text.length;
        metrics.sent(1);
      }
    },
    setBatched(is) {
      batched = is;
    },
    isFull: () => waitingLength + ws.bufferedAmount > bufferedBytesMax,
    isTooSlow(now) {
      const left = ws.bufferedAmount;
      if (left <= bufferedBytesMax) overSince = null;
      else overSince ??= now;
      if (left === 0 || written - left > read) [read, readAt] = [written - left, now];
      return now - readAt >= stuckMs || (overSince !== null && now - overSince >= overMs);
    },
  };
}

/** A whole text frame, so that it is one write: at most 125 characters, none of which needs more than a byte. */
function shortFrame(text: string): Buffer {
  const frame = Buffer.allocUnsafe(2 + text.length);
  frame[0] = 0x81;
  frame[1] = text.length;
  frame.write(text, 2, "latin1");
  return frame;
}

/** As few frames as may be, none of them much larger than its largest message. */
function batches(messages: readonly string[]): string[] {
  const frames: string[] = [];
  let start = 0;
  let length = 0;
  const cut = (end: number): void => {
    if (end > start)
      frames.push(end - start === 1 ? (messages[start] as string) : batchText(messages.slice(start, end)));
    [start, length] = [end, 0];
  };
  for (const [i, message] of messages.entries()) {
    if (length + message.length > batchLengthMax) cut(i);
    length += message.length;
  }
  cut(messages.length);
  return frames;
}
